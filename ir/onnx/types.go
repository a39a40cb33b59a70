package onnx

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx/onnxpb"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// maxElems limits the product of the constant dims of a shape.
const maxElems = 1 << 36

// typ reads the type of a parameter. A dim without a name gets a symbol made from the parameter's name and
// the axis.
func (d *decoder) typ(p *onnxpb.TypeProto, name string) (ir.Type, error) {
	return d.readType(p, 0, func(axis int) ir.Dim {
		return ir.Sym(d.syms.fresh(ir.Ident(name + "_d" + strconv.Itoa(axis))))
	})
}

// known reads a type in a place that cannot bind a new symbol. If a dim has no name, the rank is unknown.
func (d *decoder) known(p *onnxpb.TypeProto) (ir.Type, error) { return d.readType(p, 0, nil) }

// hint sets the type of a value if the file has one.
func (d *decoder) hint(v *ir.Value, p *onnxpb.TypeProto) (err error) {
	if p.GetValue() == nil || p.GetTensorType() != nil && p.GetTensorType().GetElemType() == 0 {
		return nil
	}
	v.Type, err = d.known(p)
	return err
}

func (d *decoder) readType(p *onnxpb.TypeProto, depth int, unnamed func(axis int) ir.Dim) (ir.Type, error) {
	if depth > maxDepth {
		return ir.Type{}, fmt.Errorf("types are nested deeper than %d", maxDepth)
	}
	switch t := p.GetValue().(type) {
	case *onnxpb.TypeProto_TensorType:
		return d.tensorType(t.TensorType, unnamed)
	case *onnxpb.TypeProto_SequenceType:
		of, err := d.readType(t.SequenceType.GetElemType(), depth+1, unnamed)
		return ir.SequenceOf(of), err
	case *onnxpb.TypeProto_OptionalType:
		of, err := d.readType(t.OptionalType.GetElemType(), depth+1, unnamed)
		return ir.OptionalOf(of), err
	case *onnxpb.TypeProto_OpaqueType:
		return opaque(t.OpaqueType)
	case *onnxpb.TypeProto_MapType:
		key, err := dtype(t.MapType.GetKeyType())
		if err != nil {
			return ir.Type{}, fmt.Errorf("keys of a map: %w", err)
		}
		if key != tensor.String && !key.IsInt() {
			return ir.Type{}, fmt.Errorf("keys of a map are %s, want strings or integers", key)
		}
		of, err := d.readType(t.MapType.GetValueType(), depth+1, unnamed)
		return ir.MapOf(key, of), err
	case *onnxpb.TypeProto_SparseTensorType:
		return ir.Type{}, errors.New("sparse tensor types are not supported")
	}
	return ir.Type{}, errors.New("has no type")
}

func opaque(p *onnxpb.TypeProto_Opaque) (ir.Type, error) {
	name := p.GetName()
	if dom := p.GetDomain(); dom != "" {
		name = dom + "." + name
	}
	if name == "" {
		return ir.Type{}, errors.New("opaque type has no name")
	}
	return ir.Type{Kind: ir.Opaque, Name: printable(name)}, nil
}

func (d *decoder) tensorType(p *onnxpb.TypeProto_Tensor, unnamed func(int) ir.Dim) (ir.Type, error) {
	elem, err := dtype(p.GetElemType())
	if err != nil {
		return ir.Type{}, err
	}
	t := ir.Type{Elem: elem}
	if p.GetShape() == nil {
		return t, nil
	}
	elems := int64(1)
	for axis, dim := range p.GetShape().GetDim() {
		size, ok, err := d.dim(dim)
		if err != nil {
			return t, fmt.Errorf("dimension %d %w", axis, err)
		}
		switch {
		case !ok && unnamed == nil:
			return ir.Type{Elem: elem}, nil
		case !ok:
			size = unnamed(axis)
		}
		if c, ok := size.Const(); ok && c > 0 {
			if elems > maxElems/int64(c) {
				return t, errors.New("shape has more than 1<<36 elements")
			}
			elems *= int64(c)
		}
		t.Shape = append(t.Shape, size)
	}
	t.Ranked = true
	return t, nil
}

func dtype(n int32) (tensor.DType, error) {
	if n < 0 || n > 255 || !tensor.DType(n).Valid() {
		return 0, fmt.Errorf("element type %d is not supported", n)
	}
	return tensor.DType(n), nil
}

// dim reads one dimension. It is not ok if the file does not specify it, or has -1 or a name such as "?", which
// some exporters write for every unknown size. A numeric name is a number.
func (d *decoder) dim(p *onnxpb.TensorShapeProto_Dimension) (size ir.Dim, ok bool, err error) {
	switch v := p.GetValue().(type) {
	case *onnxpb.TensorShapeProto_Dimension_DimValue:
		switch {
		case v.DimValue == -1:
			return size, false, nil
		case v.DimValue < 0:
			return size, false, fmt.Errorf("is %d, want 0 or more", v.DimValue)
		}
		return fixed(uint64(v.DimValue))
	case *onnxpb.TensorShapeProto_Dimension_DimParam:
		if v.DimParam == "-1" || !strings.ContainsFunc(v.DimParam, letterOrDigit) {
			return size, false, nil
		}
		if n, err := strconv.ParseUint(v.DimParam, 10, 62); err == nil {
			return fixed(n)
		}
		return ir.Sym(d.symbol(v.DimParam)), true, nil
	}
	return size, false, nil
}

// fixed returns a fixed size, unless it exceeds an int, which has 32 bits on some machines.
func fixed(n uint64) (size ir.Dim, ok bool, err error) {
	if n > math.MaxInt {
		return size, false, fmt.Errorf("is %d, want at most %d on this machine", n, math.MaxInt)
	}
	return ir.C(int(n)), true, nil
}

func letterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// symbol returns the symbol of a dim_param, which is the same for all uses of the name. A dim_param is a name, also
// where exporters write a formula, as ONNX has no arithmetic with sizes: "a+b" is a symbol of its own, a_b. Sizes of
// computed values do not depend on the file, as inference overrides them.
func (d *decoder) symbol(param string) string {
	if _, ok := d.params[param]; !ok {
		name := ir.Ident(param)
		if name == "_" { // it has no letter or digit of an identifier, as "日本"
			name = "dim"
		}
		d.params[param] = d.syms.fresh(name)
	}
	return d.params[param]
}
