package eval

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// args returns the call's arguments for a function of the given type. It is not ok if they do not match, such
// as when the element type differs.
func (e *env) args(c op.Call, t reflect.Type) ([]reflect.Value, bool) {
	if t.NumIn() != len(c.Args) {
		return nil, false
	}
	args := make([]reflect.Value, len(c.Args))
	for i, a := range c.Args {
		v, ok := e.arg(a, t.In(i))
		if !ok {
			return nil, false
		}
		args[i] = v
	}
	return args, true
}

func (e *env) arg(a any, want reflect.Type) (reflect.Value, bool) {
	var v reflect.Value
	switch a := a.(type) {
	case *ir.Value:
		if a == nil {
			return reflect.Zero(want), true
		}
		v = reflect.ValueOf(content(e.value(a)))
		if a.Type.Kind == ir.AnyRank {
			v = reflect.ValueOf(e.value(a))
		}
	case op.Boxed:
		v = reflect.ValueOf(e.value(a.Value))
	case op.Whole:
		return e.arg(a.Value, want)
	case op.Packed:
		v = reflect.ValueOf(content(e.pack(a)))
	case op.Derived:
		v = reflect.ValueOf(content(derive(a)))
	case ir.Dim:
		v = reflect.ValueOf(e.dim(a))
	case []ir.Dim:
		v = reflect.ValueOf(e.dims(a))
	case op.Kernel:
		for _, fn := range kernels[string(a)] {
			if reflect.TypeOf(fn).AssignableTo(want) {
				return reflect.ValueOf(fn), true
			}
		}
		return v, false
	case op.Const:
		n, ok := constants[string(a)]
		if !ok {
			return v, false
		}
		return reflect.ValueOf(n).Convert(want), true
	case op.Struct:
		return e.structArg(a, want)
	case nil:
		return reflect.Zero(want), true
	default:
		v = reflect.ValueOf(a)
	}
	return v, v.Type().AssignableTo(want)
}

// structArg builds a parameter struct field by field.
func (e *env) structArg(s op.Struct, want reflect.Type) (reflect.Value, bool) {
	if want.Kind() != reflect.Struct || want.Name() != structName(s) {
		return reflect.Value{}, false
	}
	out := reflect.New(want).Elem()
	for _, f := range s.Fields {
		dst := out.FieldByName(f.Name)
		if !dst.IsValid() {
			return out, false
		}
		v, ok := e.arg(f.Value, dst.Type())
		if !ok {
			return out, false
		}
		dst.Set(v)
	}
	return out, true
}

// structName returns the name of a struct's type: RecurrentIn[float32].
func structName(s op.Struct) string {
	if len(s.Elems) == 0 {
		return s.Type
	}
	elems := make([]string, len(s.Elems))
	for i, d := range s.Elems {
		elems[i] = d.GoType()
	}
	return fmt.Sprintf("%s[%s]", s.Type, strings.Join(elems, ","))
}

func (e *env) describe(c op.Call) string {
	s := make([]string, len(c.Args))
	for i, a := range c.Args {
		s[i] = fmt.Sprintf("%T", a)
		if v, ok := a.(*ir.Value); ok && v != nil {
			s[i] = v.Type.String()
		}
	}
	return strings.Join(s, ", ")
}
