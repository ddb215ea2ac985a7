mod beam;
mod draw;
mod evaluation;
