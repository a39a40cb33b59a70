// Package forward reads the table of forward cases: operators with inputs and expected outputs. The table is
// part of the repository, so a clone can test its operators without other data. Each family of operators has
// its own part of the table in ir/op/*/testdata/forward.
//
// The Python in the folder oracle computes the expected values. It is only needed to add a case: [Case]
// describes the format of a line, and CONTRIBUTING.md the procedure.
package forward
