mod guideline;
mod player;
mod policy;
mod value;
