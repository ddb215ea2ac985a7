mod external;
mod guideline;
mod player;
mod policy;
mod value;
