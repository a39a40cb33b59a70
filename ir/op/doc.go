// Package op is the operator table: all that bbgen knows of an operator stands
// in one value in one file here.
//
// Every stage asks the table. Inference calls [Op.Infer], the code generator
// and constant folding call [Op.Lower], differentiation calls the gradient.
// A stage that wants to know something about one operator gets a column, never
// a case for its name.
package op
