// Package optest tests a family of operators, a package below ir/op, by what lies in its
// folder testdata:
//
//	forward/*.txt   what operators must compute (package forward)
//	bodies.txtar    modules for those that have bodies
//	gradients.txt   what their gradients are compared for (package gradcheck)
//	refused.txt     what does not compile, and what is said of it
//
// and its rows by what must hold of each. The whole test of a family is a call of [Family].
package optest
