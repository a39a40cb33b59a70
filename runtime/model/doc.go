// Package model is a compiled model as those see it that know it by its tensors alone: what
// goes in and comes out, a session that runs it, one that trains it, and one that says what
// it is doing. Generated code fills the descriptions in; commands read them.
package model
