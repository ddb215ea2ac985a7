mod guideline;
mod player;
mod value;
