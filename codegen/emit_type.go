package codegen

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/peerplan"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// dtypeConst returns the name of a dtype's constant in package tensor.
func dtypeConst(d tensor.DType) string {
	for name, x := range dtypeConsts {
		if x == d {
			return name
		}
	}
	panic(fmt.Sprintf("BUG: dtype %s has no name", d))
}

var dtypeConsts = map[string]tensor.DType{
	"Float32": tensor.Float32, "Float64": tensor.Float64, "Float16": tensor.Float16, "BFloat16": tensor.BFloat16,
	"Int8": tensor.Int8, "Int16": tensor.Int16, "Int32": tensor.Int32, "Int64": tensor.Int64,
	"Uint8": tensor.Uint8, "Uint16": tensor.Uint16, "Uint32": tensor.Uint32, "Uint64": tensor.Uint64,
	"Bool": tensor.Bool, "String": tensor.String, "Complex64": tensor.Complex64, "Complex128": tensor.Complex128,
	"Float8E4M3FN": tensor.Float8E4M3FN, "Float8E4M3FNUZ": tensor.Float8E4M3FNUZ, "Float8E5M2": tensor.Float8E5M2,
	"Float8E5M2FNUZ": tensor.Float8E5M2FNUZ, "Float8E8M0": tensor.Float8E8M0, "Float4E2M1": tensor.Float4E2M1,
	"Int4": tensor.Int4, "Uint4": tensor.Uint4, "Int2": tensor.Int2, "Uint2": tensor.Uint2,
}

// emitType emits the Go type of a value.
func emitType(t ir.Type) *jen.Statement {
	switch t.Kind {
	case ir.AnyRank:
		return jen.Qual(pkgTensor, "Tensor")
	case ir.Map:
		return jen.Qual(pkgTensor, "Map")
	case ir.Sequence:
		if t.Of.Kind == ir.Map {
			return jen.Qual(pkgTensor, "Maps").Index(emitElem(t.Of.Key))
		}
		return jen.Qual(pkgTensor, "Sequence")
	case ir.Optional:
		return jen.Qual(pkgTensor, "Optional")
	}
	return jen.Index().Add(emitElem(t.Elem))
}

// emitElem emits the Go type of an element.
func emitElem(d tensor.DType) *jen.Statement {
	name := d.GoType()
	if len(name) > 7 && name[:7] == "tensor." {
		return jen.Qual(pkgTensor, name[7:])
	}
	return jen.Id(name)
}

// emitValueType emits the Go type of a value.
func emitValueType(t ir.Type) *jen.Statement {
	if own, ok := peer.OwnOf(t); ok {
		return jen.Qual(own.Package, own.Name)
	}
	switch {
	case t.Equal(peer.Peers):
		return jen.Index().Qual(pkgWire, "PeerID")
	case t.Equal(peer.Peer1):
		return jen.Qual(pkgWire, "PeerID")
	case t.Equal(peer.Address1):
		return jen.String()
	case peerplan.IsScalar(t):
		return emitElem(t.Elem)
	}
	return jen.Qual(pkgTensor, "Dense").Index(emitElem(t.Elem))
}

// emitFieldType emits the Go type of a field.
func emitFieldType(t ir.Type) *jen.Statement {
	if peer.IsOwn(t) {
		return jen.Qual(pkgValues, "Own").Index(emitValueType(t))
	}
	return emitValueType(t)
}
