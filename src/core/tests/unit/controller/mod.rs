mod file;
mod guideline;
mod scorer;
