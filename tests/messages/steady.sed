# What varies between machines and runs.
s/^( *"(commit|started|finished|version|[a-z_]*_s|[a-z_]*_share|simd|cpu|sha256|checksum|log_sha256|bytes|[a-z_]*per_s)": )("[^"]*"|[^,]*)/\1"varies"/
s#"/.*/tetrastat"#"tetrastat"#
