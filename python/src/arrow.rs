//! Conversion of the engine's values to Arrow arrays of the types in
//! [`tetrastat::record::arrow_schema`]. Buffers are not copied, except for codes of factors.

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int32Array, Int64Array, StringArray,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer};
use arrow_schema::ArrowError;
use tetrastat::record::{Column, ColumnValues};

/// Converts `values` of `column` to an Arrow array.
///
/// # Errors
/// Returns an error if the texts of one batch exceed 2 GiB, or if the values do not fit the column.
pub(crate) fn array(column: &Column, values: ColumnValues) -> Result<ArrayRef, ArrowError> {
    let nulls = if column.is_required() { None } else { presence(&values) };
    Ok(match values {
        ColumnValues::Integer(values) => Arc::new(Int32Array::new(values.into(), nulls)),
        ColumnValues::Count(values) => Arc::new(Int64Array::new(values.into(), nulls)),
        ColumnValues::Real(values) => Arc::new(Float64Array::new(values.into(), nulls)),
        ColumnValues::Logical(codes) => {
            let bits = BooleanBuffer::collect_bool(codes.len(), |row| codes[row] == 1);
            Arc::new(BooleanArray::new(bits, nulls))
        }
        ColumnValues::Factor(codes) => {
            let last = column.levels.len().saturating_sub(1) as i32;
            // A missing value may have any code, but Arrow accepts only codes that stand for a
            // level.
            let codes: Vec<i32> = codes.into_iter().map(|code| i32::from(code).min(last)).collect();
            let levels = Arc::new(StringArray::from_iter_values(&column.levels));
            let codes = Int32Array::new(codes.into(), nulls);
            Arc::new(DictionaryArray::<Int32Type>::try_new(codes, levels)?)
        }
        ColumnValues::Text(text) => {
            let (bytes, ends) = text.into_parts();
            let large = |_| ArrowError::InvalidArgumentError("texts of more than 2 GiB".to_owned());
            let ends = ends.into_iter().map(i32::try_from).collect::<Result<Vec<i32>, _>>();
            let offsets: Vec<i32> = [0].into_iter().chain(ends.map_err(large)?).collect();
            let offsets = OffsetBuffer::new(offsets.into());
            Arc::new(StringArray::try_new(offsets, Buffer::from_vec(bytes), nulls)?)
        }
    })
}

fn presence(values: &ColumnValues) -> Option<NullBuffer> {
    let bits = Buffer::from_vec(values.presence_bits()?);
    Some(NullBuffer::new(BooleanBuffer::new(bits, 0, values.len())))
}
