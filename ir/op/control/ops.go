package control

import "github.com/bbgen/bbgen/ir/op"

// Ops lists the operators of this family.
var Ops = []*op.Op{
	If,
	Loop,
	Require,
	Scan,
}
