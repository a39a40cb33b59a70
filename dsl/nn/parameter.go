package nn

import (
	"fmt"
	"hash/fnv"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Parameter is a tensor of a network: a weight, or a running statistic.
type Parameter struct {
	Shape []int
	Init  Initializer    // computes Data if it is nil
	Data  *tensor.Tensor // float32; nil until the network is initialized

	name string // in the last initialized network
}

// Value returns the parameter on the graph of its network.
func (p *Parameter) Value(g *dsl.Graph) dsl.Value {
	if p == nil || p.name == "" || p.Data == nil {
		return g.Fail("a parameter was not found in the network: export it with package nn, and keep its modules in exported fields")
	}
	return g.Weight(p.name, p.Data)
}

// builder is a layer that creates those of its parameters that are nil.
type builder interface{ build() }

// Parameters returns the parameters of a network by name, in the order of its modules in lists and exported
// fields. A parameter in several places has the name of the first.
func Parameters(network any) iter.Seq2[string, *Parameter] {
	return func(yield func(string, *Parameter) bool) {
		w := &walk{seen: map[any]bool{}, yield: yield}
		w.value(reflect.ValueOf(network), "")
	}
}

// Initialize initializes the parameters that have no values. The same seed gives the same bits. The values of
// a parameter depend on its name and its shape, but not on other layers.
func Initialize(network any, seed int) error {
	for name, p := range Parameters(network) {
		p.name = name
		if err := p.initialize(seed); err != nil {
			return fmt.Errorf("parameter %s: %w", name, err)
		}
	}
	return nil
}

func (p *Parameter) initialize(seed int) error {
	for _, n := range p.Shape {
		if n < 1 {
			return fmt.Errorf("the shape is %v, want sizes of 1 and more: say all sizes of the layer", p.Shape)
		}
	}
	n, err := tensor.NumElements(p.Shape)
	switch {
	case err != nil:
		return err
	case p.Data != nil:
		return p.check(p.Data)
	case p.Init == nil:
		return fmt.Errorf("there are neither Data nor Init")
	}
	dst := make([]float32, n)
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s", seed, p.name)
	if err := p.Init(dst, p.Shape, int(h.Sum64())); err != nil {
		return err
	}
	p.Data = tensor.Of(dst, p.Shape...)
	return nil
}

// check returns an error if a tensor does not match the parameter.
func (p *Parameter) check(t *tensor.Tensor) error {
	if t.DType != tensor.Float32 || !slices.Equal(t.Shape, p.Shape) {
		return fmt.Errorf("got %s, want %s", t, tensor.TypeText(tensor.Float32, p.Shape))
	}
	return nil
}

// walk finds the parameters in a value.
type walk struct {
	seen  map[any]bool // pointers that have been visited
	yield func(name string, p *Parameter) bool
}

// value visits a value. It reports whether to continue.
func (w *walk) value(v reflect.Value, path string) bool {
	switch v.Kind() {
	case reflect.Interface:
		return w.value(v.Elem(), path)
	case reflect.Pointer:
		return w.pointer(v, path)
	case reflect.Slice, reflect.Array:
		return w.list(v, path)
	case reflect.Struct:
		return w.fields(v, path)
	}
	return true
}

func (w *walk) pointer(v reflect.Value, path string) bool {
	if v.IsNil() || w.seen[v.Interface()] {
		return true
	}
	w.seen[v.Interface()] = true
	if p, ok := v.Interface().(*Parameter); ok {
		return w.yield(path, p)
	}
	return w.value(v.Elem(), path)
}

func (w *walk) list(v reflect.Value, path string) bool {
	for i := range v.Len() {
		if !w.value(v.Index(i), under(path, strconv.Itoa(i))) {
			return false
		}
	}
	return true
}

func (w *walk) fields(v reflect.Value, path string) bool {
	if v.CanAddr() && v.Addr().CanInterface() {
		if b, ok := v.Addr().Interface().(builder); ok {
			b.build()
		}
	}
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !f.IsExported() {
			continue
		}
		name := path
		if !f.Anonymous {
			name = under(path, snake(f.Name))
		}
		if !w.value(v.Field(i), name) {
			return false
		}
	}
	return true
}

func under(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// snake converts a field's name to PyTorch's style: OutProj becomes out_proj.
func snake(name string) string {
	var b strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		first := i > 0 && unicode.IsUpper(r) && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]))
		if first {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
