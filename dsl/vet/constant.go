package vet

import (
	"go/ast"
	"go/constant"
)

// text returns the value of a constant string.
func (p *program) text(x ast.Expr) (string, bool) {
	v := p.TypesInfo.Types[p.value(x)].Value
	if v == nil || v.Kind() != constant.String {
		return "", false
	}
	return constant.StringVal(v), true
}

// number returns the value of a constant integer.
func (p *program) number(x ast.Expr) (int64, bool) {
	v := p.TypesInfo.Types[p.value(x)].Value
	if v == nil {
		return 0, false
	}
	return constant.Int64Val(constant.ToInt(v))
}
