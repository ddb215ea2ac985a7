//! Row types and their columns: what each table of a run, study, training or estimate holds.

pub(crate) mod actions;
pub(crate) mod builder;
pub(crate) mod candidates;
pub(crate) mod changes;
pub(crate) mod code_book;
pub(crate) mod column;
pub(crate) mod conditions;
pub(crate) mod estimates;
pub(crate) mod field;
pub(crate) mod games;
pub(crate) mod guideline;
pub(crate) mod means;
pub(crate) mod placements;
pub(crate) mod reproduced;
pub(crate) mod rollouts;
pub(crate) mod selection;
pub(crate) mod split;
pub(crate) mod surface;
pub(crate) mod table;
pub(crate) mod training;
pub(crate) mod values;
