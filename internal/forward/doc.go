// Package forward reads the table of forward cases: operators, what goes into them
// and what must come out. A clone proves its operators with it, without any other
// data. Each family of operators has its part of the table, ir/op/*/testdata/forward.
//
// The Python in the folder oracle computes the expected values. Only somebody who
// adds a case needs it: [Case] shows what a line looks like, CONTRIBUTING.md how it
// comes about.
package forward
