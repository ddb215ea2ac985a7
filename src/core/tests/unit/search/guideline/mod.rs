mod evaluation;
