//! CSV reader and writer with the conventions of the code book: `NA`, `TRUE`, `FALSE`.

mod read;
mod seek;
mod write;

pub(crate) use read::{is_plain, read, read_rows};
pub(crate) use seek::{names, seek};
pub(crate) use write::write;

use crate::record::Column;

const MISSING: &[u8; 2] = b"NA";

/// Returns the header line of a table.
pub(crate) fn header(columns: &[Column]) -> Vec<u8> {
    let names: Vec<&str> = columns.iter().map(|column| &*column.name).collect();
    (names.join(",") + "\n").into_bytes()
}

#[cfg(test)]
mod tests {
    use crate::record::ColumnType;
    use proptest::prelude::*;

    use super::*;
    use crate::record::{ColumnValues, RowSlice, Rows};

    fn shown(value: f64) -> String {
        let columns = [Column::new("x", ColumnType::Real, "-", "")];
        let mut text = Vec::new();
        write(
            &columns,
            &RowSlice::new(Rows { columns: vec![ColumnValues::Real(vec![value])] }),
            &mut text,
        );
        String::from_utf8(text).unwrap().trim_end().to_owned()
    }

    #[test]
    fn fractions_are_written_in_their_shortest_form() {
        for (value, text) in [
            (2.0, "2"),
            (-40.5, "-40.5"),
            (-0.1, "-0.1"),
            (0.0, "0"),
            (-572.6827, "-572.6827"),
            (0.000000001, "0.000000001"),
            (1.0 / 3.0, "0.3333333333333333"),
            (1e300 / 7.0, &(1e300 / 7.0).to_string()),
            (123456789.125, "123456789.125"),
        ] {
            assert_eq!(shown(value), text);
        }
    }

    proptest! {
        #[test]
        fn a_fraction_is_written_as_the_standard_library_does(
            steps in -1_000_000_000_000i64..1_000_000_000_000,
            scale in prop::sample::select(vec![1.0, 2.0, 4.0, 7.0, 10.0, 1e4, 2e6, 14e6, 1e9]),
        ) {
            let value = steps as f64 / scale;
            prop_assert_eq!(shown(value), value.to_string());
        }
    }

    #[test]
    fn whole_numbers_are_written_as_the_standard_library_does() {
        let columns = [Column::new("x", ColumnType::Count, "-", "")];
        let near = |power: u32| (-2..=2).map(move |off| 10i64.pow(power) + off);
        let numbers: Vec<i64> = (0..19).flat_map(near).flat_map(|n| [n, -n]).collect();
        let mut text = Vec::new();
        let rows = Rows { columns: vec![ColumnValues::Count(numbers.clone())] };
        write(&columns, &RowSlice::new(rows), &mut text);
        let expected: String = numbers.iter().map(|n| format!("{n}\n")).collect();
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }

    #[test]
    fn lines_read_back() {
        let kinds = [
            ColumnType::Integer,
            ColumnType::Count,
            ColumnType::Real,
            ColumnType::Factor,
            ColumnType::Logical,
            ColumnType::Text,
        ];
        let mut columns = kinds.map(|kind| Column::new(kind.name(), kind, "-", "")).to_vec();
        columns[3].levels = ["I", "T"].map(str::to_owned).to_vec();
        columns.iter_mut().for_each(|column| column.missing = "here and there".into());
        let text = "integer,count,real,factor,logical,text\n\
                    -3,99999999999,-40.5,T,TRUE,2f:21\nNA,NA,NA,NA,NA,NA\n100,10,7,I,FALSE,a\n";
        let read_all = |text: &str, rows_at_once| {
            let mut back = header(&columns);
            let columns_of = |_: &[String]| Ok(columns.clone());
            let found =
                read("x.csv", text.as_bytes(), columns_of, rows_at_once, |columns, rows| {
                    write(columns, &RowSlice::new(rows), &mut back);
                    Ok(())
                });
            found.map(|()| String::from_utf8(back).unwrap())
        };
        for rows_at_once in 1..4 {
            assert_eq!(read_all(text, rows_at_once).unwrap(), text);
        }
        let problem = |text: &str| read_all(text, 9).unwrap_err().to_string();
        let wrong = text.replace("T,TRUE", "T,yes");
        assert!(problem(&wrong).contains("line 2: 'yes' in column logical is no logical"));
        assert!(problem(&text.replace(",2f:21", "")).contains("x.csv"));
    }
}
