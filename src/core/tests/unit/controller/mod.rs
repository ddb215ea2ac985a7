mod file;
mod guideline;
mod patterns;
mod scorer;
