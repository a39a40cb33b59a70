// Package forward reads the table of forward cases: operators, what goes into them
// and what must come out. A clone proves its operators with it, without any other
// data. Each family of operators has its part of the table, ir/op/*/testdata/forward.
//
// The Python in the folder oracle computes the expected values. It is only needed to add a case: [Case]
// describes the format of a line, and CONTRIBUTING.md the procedure.
package forward
