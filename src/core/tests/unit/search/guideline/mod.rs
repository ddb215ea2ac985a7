mod beam;
mod evaluation;
