package op

// table is every operator.
var table []*Op
