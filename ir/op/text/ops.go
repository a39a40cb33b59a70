package text

import "github.com/bbgen/bbgen/ir/op"

// Ops are the operators of this family.
var Ops = []*op.Op{
	RegexFullMatch,
	StringConcat,
	StringNormalizer,
	StringSplit,
	TfIdfVectorizer,
}
