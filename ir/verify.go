package ir

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Verify checks the rules that every pass may rely on, and reports all violations:
//
//   - every value is defined once, has a name that no other value of the
//     function has, and is defined before it is read: in the same region, or
//     in one around it, before the node that has the region;
//   - Def names the node that defines a value, and is nil for parameters,
//     states and constants;
//   - no node, region, result or state is nil;
//   - a constant has the type of its tensor, and Elems and ElemSyms agree with
//     the type;
//   - attributes are sorted and of the kinds that [Attr] lists; a [Ref] names
//     an attribute of the function;
//   - a call names a function of the module.
//
// It does not know operators: the operator table checks whether a node has the inputs that its operator
// requires. [VerifyShapes] checks the rules for inferred types.
func Verify(m *Module) error {
	if m.Main == nil {
		return errors.New("module has no main function")
	}
	v := &verifier{m: m, funcs: map[funcKey]bool{}}
	for i, f := range m.AllFuncs() {
		if f == nil {
			v.errs = append(v.errs, errors.New("module has a nil function"))
			continue
		}
		k := keyOf(f)
		if v.funcs[k] && i > 0 {
			v.errs = append(v.errs, fmt.Errorf("func @%s is defined twice", qualified(f.Domain, f.Name)))
		}
		v.funcs[k] = v.funcs[k] || i > 0 // main must not be called
	}
	for _, f := range m.AllFuncs() {
		if f != nil {
			v.function(f)
		}
	}
	return errors.Join(v.errs...)
}

type verifier struct {
	m     *Module
	funcs map[funcKey]bool
	errs  []error

	f       *Func
	names   map[string]*Value
	defined map[*Value]bool
	visible map[*Value]bool
	regions map[*Region]bool
	nodes   map[*Node]bool
	scope   []*Value // visible values, in order
}

// errorf reports a violation. If n is not nil, the violation is at that node.
func (v *verifier) errorf(n *Node, format string, args ...any) {
	msg := fmt.Sprintf(format, args...)
	if n != nil {
		msg = n.String() + ": " + msg
	}
	v.errs = append(v.errs, fmt.Errorf("func @%s: %s", qualified(v.f.Domain, v.f.Name), msg))
}

func (v *verifier) function(f *Func) {
	v.f = f
	v.names = map[string]*Value{}
	v.defined = map[*Value]bool{}
	v.visible = map[*Value]bool{}
	v.regions = map[*Region]bool{}
	v.nodes = map[*Node]bool{}
	v.scope = nil
	if f.Body == nil {
		v.errorf(nil, "has no body")
		return
	}
	v.attrs(nil, f.Defaults)
	for _, s := range f.State {
		switch {
		case s == nil:
			v.errorf(nil, "state is nil")
		case s.Param == nil:
			v.errorf(nil, "state has no value")
		case s.Next == nil:
			v.errorf(nil, "state %s has no next value", valueText(s.Param))
		default:
			v.define(nil, nil, s.Param)
		}
	}
	v.region(nil, f.Body, func() {
		for _, s := range f.State {
			if s == nil || s.Param == nil || s.Next == nil {
				continue
			}
			v.read(nil, s.Next, "next value of state "+valueText(s.Param))
			v.state(s)
		}
	})
}

func (v *verifier) state(s *State) {
	name := valueText(s.Param)
	if s.Kind == "" {
		v.errorf(nil, "state %s has no kind", name)
	}
	t := s.Param.Type
	if s.Init != nil {
		if err := CheckTensor(s.Init); err != nil {
			v.errorf(nil, "state %s: initial value: %v", name, err)
		} else if u := tensorType(s.Init); !agree(t, u) {
			v.errorf(nil, "state %s is %s, its initial value %s", name, t, u)
		}
	}
	if u := s.Next.Type; !agree(t, u) {
		v.errorf(nil, "state %s is %s, its next value %s is %s", name, t, valueText(s.Next), u)
	}
}

// agree reports whether two types, which may be incomplete, are compatible.
func agree(t, u Type) bool {
	if t.Kind == Tensor && t.Elem == tensor.Undefined && !t.Ranked || u.Kind == Tensor && u.Elem == tensor.Undefined && !u.Ranked {
		return true
	}
	if t.Kind != u.Kind || t.Name != u.Name || t.Key != u.Key {
		return false
	}
	if t.Of != nil && u.Of != nil {
		return agree(*t.Of, *u.Of)
	}
	if t.Elem != u.Elem && t.Elem != tensor.Undefined && u.Elem != tensor.Undefined {
		return false
	}
	return !t.Ranked || !u.Ranked || slices.EqualFunc(t.Shape, u.Shape, func(a, b Dim) bool {
		x, xok := a.Const()
		y, yok := b.Const()
		return !xok || !yok || x == y
	})
}

// region checks r, which belongs to node n. It calls inside while the values of r are visible.
func (v *verifier) region(n *Node, r *Region, inside func()) {
	if r == nil {
		v.errorf(n, "region is nil")
		return
	}
	if v.regions[r] {
		v.errorf(n, "region %q is in two places", r.Name)
		return
	}
	v.regions[r] = true
	mark := len(v.scope)
	for _, p := range r.Params {
		if p == nil {
			v.errorf(n, "region %q has a nil parameter", r.Name)
			continue
		}
		v.define(n, nil, p)
	}
	for _, x := range r.Nodes {
		if x == nil {
			v.errorf(n, "region %q has a nil node", r.Name)
			continue
		}
		v.node(x)
	}
	for i, x := range r.Results {
		as := fmt.Sprintf("result %d", i)
		if n != nil {
			as += fmt.Sprintf(" of region %q", r.Name)
		}
		v.read(n, x, as)
	}
	inside()
	for _, x := range v.scope[mark:] {
		delete(v.visible, x)
	}
	v.scope = v.scope[:mark]
}

func (v *verifier) node(n *Node) {
	if v.nodes[n] {
		v.errorf(n, "is in two places")
		return
	}
	v.nodes[n] = true
	if n.Op == "" {
		v.errorf(n, "has no operator")
	}
	if n.Version < 0 {
		v.errorf(n, "has version %d", n.Version)
	}
	if n.Local && !v.funcs[funcKey{n.Domain, n.Op, n.Over}] {
		v.errorf(n, "no such function in the module")
	}
	v.attrs(n, n.Attrs)
	for i, x := range n.In {
		if x != nil {
			v.read(n, x, fmt.Sprintf("input %d", i))
		}
	}
	for _, r := range n.Regions {
		v.region(n, r, func() {})
	}
	for _, x := range n.Out {
		if x != nil {
			v.define(n, n, x)
		}
	}
}

// define makes x visible, which def defines. Errors name n.
func (v *verifier) define(n, def *Node, x *Value) {
	name := valueText(x)
	switch {
	case v.defined[x]:
		v.errorf(n, "value %s is defined twice", name)
		return
	case x.Const != nil:
		v.errorf(n, "constant %s is defined by something else, too", name)
	case x.Def != def && def == nil:
		v.errorf(n, "value %s is a parameter, but Def is %s", name, x.Def)
	case x.Def != def && x.Def == nil:
		v.errorf(n, "value %s is an output, but Def is nil", name)
	case x.Def != def:
		v.errorf(n, "value %s is an output, but Def is %s", name, x.Def)
	}
	v.defined[x] = true
	v.visible[x] = true
	v.scope = append(v.scope, x)
	v.name(n, x)
	v.value(n, x)
}

// name checks that no other value has the name of x.
func (v *verifier) name(n *Node, x *Value) {
	if x.Name == "" {
		v.errorf(n, "a value has no name")
		return
	}
	if y := v.names[x.Name]; y != nil && y != x {
		v.errorf(n, "two values are called %s", valueText(x))
	}
	v.names[x.Name] = x
}

// value checks the fields of x.
func (v *verifier) value(n *Node, x *Value) {
	name := valueText(x)
	if err := checkType(x.Type); err != nil {
		v.errorf(n, "value %s: %v", name, err)
		return
	}
	if x.Elems == nil {
		if x.ElemSyms != nil {
			v.errorf(n, "value %s has ElemSyms without Elems", name)
		}
		return
	}
	if x.ElemSyms != nil && len(x.ElemSyms) != len(x.Elems) {
		v.errorf(n, "value %s has %d Elems and %d ElemSyms", name, len(x.Elems), len(x.ElemSyms))
		return
	}
	for i, s := range x.ElemSyms {
		if s != "" && !x.Elems[i].Equal(Sym(s)) {
			v.errorf(n, "value %s binds symbol %s to element %d, which is %s", name, s, i, x.Elems[i])
		}
	}
	if !x.Type.Ranked {
		return
	}
	if size, ok := Size(x.Type.Shape).Const(); ok && size != len(x.Elems) {
		v.errorf(n, "value %s is %s and has %d Elems", name, x.Type, len(x.Elems))
	}
}

func checkType(t Type) error {
	switch {
	case t.Kind > Opaque:
		return fmt.Errorf("type has kind %d", t.Kind)
	case t.Kind == Opaque && t.Name == "":
		return errors.New("opaque type has no name")
	case t.Kind != Tensor && (t.Ranked || t.Shape != nil || t.Elem != tensor.Undefined):
		return fmt.Errorf("type %s has a shape", t)
	case t.Kind == Tensor && !t.Ranked && t.Shape != nil:
		return fmt.Errorf("type %s has a shape, but is not ranked", t)
	case t.Kind == Tensor && t.Elem != tensor.Undefined && !t.Elem.Valid():
		return fmt.Errorf("type has element type %s", t.Elem)
	case t.Kind == Map && t.Key != tensor.String && !t.Key.IsInt():
		return fmt.Errorf("type %s has keys of type %s, want string or a type of integers", t, t.Key)
	case t.Kind != Map && t.Key != tensor.Undefined:
		return fmt.Errorf("type %s has keys", t)
	case t.Kind == Sequence || t.Kind == Optional || t.Kind == Map || t.Kind == AnyRank:
		if t.Of == nil {
			return fmt.Errorf("type %s has no content", t)
		}
		return checkType(*t.Of)
	case t.Of != nil:
		return fmt.Errorf("type %s has content", t)
	}
	return nil
}

// read checks that x may be read here, for the use that as names.
func (v *verifier) read(n *Node, x *Value, as string) {
	switch {
	case x == nil:
		v.errorf(n, "%s is nil", as)
	case x.Const != nil:
		v.constant(n, x)
	case !v.visible[x] && !v.defined[x]:
		v.errorf(n, "%s is %s, which is not defined before", as, valueText(x))
	case !v.visible[x]:
		v.errorf(n, "%s is %s, which is defined in a region that has ended", as, valueText(x))
	}
}

// constant checks a constant at its first use.
func (v *verifier) constant(n *Node, x *Value) {
	if v.defined[x] {
		return
	}
	v.defined[x] = true
	v.name(n, x)
	name := valueText(x)
	if x.Def != nil {
		v.errorf(n, "constant %s has Def %s", name, x.Def)
	}
	if x.Elems != nil || x.ElemSyms != nil {
		v.errorf(n, "constant %s has Elems", name)
	}
	if err := CheckTensor(x.Const); err != nil {
		v.errorf(n, "constant %s: %v", name, err)
	} else if t := tensorType(x.Const); !t.Equal(x.Type) {
		v.errorf(n, "constant %s is %s, its content %s", name, x.Type, t)
	}
}

func (v *verifier) attrs(n *Node, attrs Attrs) {
	for i, a := range attrs {
		switch {
		case a.Name == "":
			v.errorf(n, "an attribute has no name")
		case i > 0 && a.Name == attrs[i-1].Name:
			v.errorf(n, "attribute %q is set twice", a.Name)
		case i > 0 && a.Name < attrs[i-1].Name:
			v.errorf(n, "attribute %q stands after %q", a.Name, attrs[i-1].Name)
		}
		if err := v.attr(a.Value); err != nil {
			v.errorf(n, "attribute %q: %v", a.Name, err)
		}
	}
}

func (v *verifier) attr(x any) error {
	switch x := x.(type) {
	case int64, float64, string, []int64, []float64, []string:
	case Type:
		return checkType(x)
	case *tensor.Tensor:
		return CheckTensor(x)
	case []*tensor.Tensor:
		for _, t := range x {
			if err := CheckTensor(t); err != nil {
				return err
			}
		}
	case Ref:
		if !slices.Contains(v.f.Attrs, string(x)) && v.f.Defaults.Lookup(string(x)) == nil {
			return fmt.Errorf("the function has no attribute %q", string(x))
		}
	default:
		return fmt.Errorf("has type %T", x)
	}
	return nil
}
