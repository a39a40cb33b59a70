package randomprogram

import (
	"math"
	"reflect"
	"strings"
	"time"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// any calls some method of the graph or of a slot with arguments of the right types, a few of which make no sense.
func (a *author) any() { a.anyOn(a.g) }

func (a *author) anyOn(g *dsl.Graph) {
	if a.depth > 3 {
		return
	}
	a.depth++
	defer func() { a.depth-- }()
	on := reflect.ValueOf(g)
	if a.chance(4) {
		slots := reflect.ValueOf(&a.slots).Elem()
		on = slots.Field(a.rng.IntN(slots.NumField()))
	}
	m := on.Type().Method(a.rng.IntN(on.NumMethod()))
	if m.Name == "Fail" { // it does
		return
	}
	a.take(a.call(on.Method(m.Index), m.Name, g), g)
}

func (a *author) call(f reflect.Value, name string, g *dsl.Graph) []reflect.Value {
	t := f.Type()
	var in []reflect.Value
	for i := range t.NumIn() {
		if t.IsVariadic() && i == t.NumIn()-1 {
			for range a.rng.IntN(3) {
				in = append(in, a.argument(t.In(i).Elem(), name, g))
			}
			break
		}
		in = append(in, a.argument(t.In(i), name, g))
	}
	return f.Call(in)
}

// take keeps what a method has returned, and calls methods of that.
func (a *author) take(out []reflect.Value, g *dsl.Graph) {
	for _, o := range out {
		switch x := o.Interface().(type) {
		case dsl.Value:
			a.keep(x)
		case []dsl.Value:
			a.keep(x...)
		case dsl.Outputs:
			a.keep(x.Output(one(a, "y", "y", "none")))
		case *dsl.Rounds:
			a.keep(x.Number())
			if a.chance(2) {
				c := x.Carry("c", a.value())
				a.keep(c)
				x.Next(c, c)
			}
		case dsl.Hold, dsl.Queue, dsl.Limit:
			for range 2 {
				m := o.Type().Method(a.rng.IntN(o.NumMethod()))
				a.take(a.call(o.Method(m.Index), m.Name, g), g)
			}
		}
	}
}

// odd reports that an argument should make no sense.
func (a *author) odd() bool { return a.chance(60) }

// argument returns an argument for a parameter of the given type.
func (a *author) argument(t reflect.Type, method string, g *dsl.Graph) reflect.Value {
	var v any
	switch {
	case t == reflect.TypeFor[*dsl.Graph]():
		v = g
	case t.Kind() == reflect.Func:
		if v = a.body(t); v == nil { // an option
			v = a.option(t)
		}
	case t.Kind() == reflect.Slice:
		s := reflect.MakeSlice(t, 0, 2)
		for range a.rng.IntN(3) {
			s = reflect.Append(s, a.argument(t.Elem(), method, g))
		}
		return s
	default:
		if v = a.option(t); v == nil {
			v = a.plain(t, method)
		}
	}
	if v == nil || a.odd() && t.Kind() == reflect.Struct || t == reflect.TypeFor[dsl.Module]() && a.odd() {
		return reflect.Zero(t)
	}
	return reflect.ValueOf(v).Convert(t)
}

// option returns a value of a type of package dsl, or nil if there is none.
func (a *author) option(t reflect.Type) any {
	switch t {
	case reflect.TypeFor[dsl.Value]():
		return a.value()
	case reflect.TypeFor[dsl.Type]():
		return a.anyType()
	case reflect.TypeFor[dsl.InputOption]():
		return one(a, dsl.From(a.value()), dsl.WaitFor(time.Second))
	case reflect.TypeFor[dsl.EdgeOption]():
		return one(a, dsl.Clip(2), dsl.Clip(math.NaN()), dsl.Codec("int8"), dsl.Codec("none"), dsl.Deadline(time.Second), dsl.To(a.other), dsl.To(a.class), dsl.To("gamma"), dsl.Apart(),
			dsl.Via(a.slots.Own, "Add"), dsl.Through(a.slots.Codec))
	case reflect.TypeFor[dsl.CallOption]():
		return one[dsl.CallOption](a, a.anyType(), a.anyType(), dsl.When(a.value()), dsl.Quorum(1), dsl.Quorum(-1), dsl.Within(time.Second))
	case reflect.TypeFor[dsl.CollectiveOption]():
		return one(a, dsl.Root(1), dsl.Root(-1), dsl.Port(a.text("")), dsl.By(dsl.Ring), dsl.By("none"), dsl.Finite(), dsl.Compress("int8"), dsl.Feedback(), dsl.IfLost(dsl.Repeat))
	case reflect.TypeFor[dsl.RoundsOption]():
		return one(a, dsl.IfShort(dsl.Skip), dsl.IfShort("none"), dsl.WaitAtMost(time.Hour), dsl.WaitAtMost(-1))
	case reflect.TypeFor[dsl.AtLeastOption]():
		return one(a, dsl.AtLeast(1), dsl.AtLeast(2))
	case reflect.TypeFor[dsl.Attrs]():
		return one(a, nil, dsl.Attrs{"axis": 0}, dsl.Attrs{"axis": nil}, dsl.Attrs{"to": 1}, dsl.Attrs{"kernel_shape": []int{2, 2}})
	case reflect.TypeFor[dsl.EventKind]():
		return one[dsl.EventKind](a, dsl.PeerUp, dsl.PeerDown, dsl.Published, "none")
	case reflect.TypeFor[dsl.Reduction]():
		return one(a, dsl.Sum, dsl.Mean, dsl.Max, "none")
	case reflect.TypeFor[dsl.Module]():
		return one[dsl.Module](a, doubled{}, called{a.slots.Own}, misnamed{"ü"}, misnamed{"type"})
	case reflect.TypeFor[dsl.Args]():
		return one(a, dsl.Args{"x": a.value()}, dsl.Args{"none": a.value()})
	case reflect.TypeFor[dsl.DataSource]():
		return a.slots.Data
	case reflect.TypeFor[dsl.Slot]():
		return dsl.Slot(&a.slots.Own)
	}
	return nil
}

// plain returns an argument of one of Go's types.
func (a *author) plain(t reflect.Type, method string) any {
	switch t {
	case reflect.TypeFor[tensor.DType]():
		return one(a, tensor.Float32, tensor.Int64, tensor.Bool, tensor.Float16, tensor.String, tensor.Float64)
	case reflect.TypeFor[time.Duration]():
		return one[time.Duration](a, time.Second, time.Second, -1, 0, math.MaxInt64)
	case reflect.TypeFor[*tensor.Tensor]():
		return one(a, nil, tensor.Of([]float32{1, 2}, 2))
	}
	switch t.Kind() {
	case reflect.String:
		return a.text(method)
	case reflect.Int:
		return one(a, 0, 1, 2, 3, 0, 1, 2, 3, -1, 7, 1000)
	case reflect.Float64:
		return one(a, 0, 1.5, math.NaN(), math.Inf(1), 1e300)
	case reflect.Bool:
		return a.chance(2)
	case reflect.Interface:
		return one[any](a, 1, 2.5, "x", []float32{1, 2, 3, 4}, []int{1, 2}, true, []string{"a"}, []bool{}, nil, tensor.Of([]float32{1, 2, 3, 4}, 4))
	}
	return nil
}

// text returns a name for a parameter of a method.
func (a *author) text(method string) string {
	if a.odd() {
		return one(a, "", "a b", "type", "ü", strings.Repeat("x", 300), "x.y", "..", "../a", "\n", "_", "0", "\xff", "A\x00")
	}
	switch method {
	case "Op", "OpN":
		return one(a, "Relu", "Add", "Concat", "If", "Loop", "Constant", "Identity", "Where", "NonZero", "RandomNormal", "Split", "Scan", "Cast", "Reshape", "ConstantOfShape", "Range", "Dropout",
			"SequenceAt", "SplitToSequence", "Optional", "Shape", "Size", "Expand", "Tile")
	case "Peers", "PeerInTurn", "On":
		return one(a, "alpha", "beta")
	case "LifecyclePhase":
		return one(a, "bootstrap", "running", "stopping", "stopped")
	}
	return one(a, a.port, a.port+"x", "a", "b", "Read", "Type", "func_", "select_")
}

func (a *author) anyType() dsl.Type {
	if a.odd() {
		return one(a, dsl.Type{}, dsl.Tensor(99), dsl.Float32(-1), dsl.Float32("a b"), dsl.BundleOf(), dsl.BundleOf(dsl.BundleOf(dsl.Float32())), dsl.GoType(3, 5), dsl.Float32(1<<30, 1<<30),
			dsl.Float32(3.5), dsl.Float32(nil), dsl.Float32(math.MaxInt), dsl.BundleOf(dsl.Type{}), dsl.BundleOf(dsl.TriggerType, dsl.PeersType))
	}
	return one(a, dsl.Float32(), dsl.Float32("n"), dsl.Float32(dsl.Any), four, dsl.Float32(0), dsl.Int64(), dsl.Bool(), dsl.Float32("n", 4), dsl.Float32("m", "n"), dsl.Int64("n"), dsl.PeerType,
		dsl.PeersType, dsl.TriggerType, dsl.AddressType, dsl.String(), dsl.String("n"), dsl.BundleOf(dsl.Float32("n"), dsl.Int64()), dsl.Uint8(dsl.Any), dsl.Float16(3))
}

// body returns a function that records a branch or the body of a loop, or nil for other functions.
func (a *author) body(t reflect.Type) any {
	switch t {
	case reflect.TypeFor[func(*dsl.Graph) []dsl.Value]():
		n := 1 + a.rng.IntN(2)
		return func(g *dsl.Graph) (out []dsl.Value) {
			a.within(g, func() {
				for range n {
					out = append(out, a.value())
				}
			})
			return out
		}
	case reflect.TypeFor[func(*dsl.Graph, dsl.Value, []dsl.Value) (dsl.Value, []dsl.Value)]():
		return func(g *dsl.Graph, i dsl.Value, carried []dsl.Value) (dsl.Value, []dsl.Value) {
			out := carried
			a.within(g, func() {
				if a.chance(2) {
					out = nil
					for range carried {
						out = append(out, a.value())
					}
				}
			}, append(carried, i)...)
			return dsl.Value{}, out
		}
	}
	return nil
}

// within records a few calls in a body, which has values of its own. Rarely, one of these is used outside.
func (a *author) within(g *dsl.Graph, end func(), own ...dsl.Value) {
	old := len(a.pool)
	a.keep(own...)
	for range a.rng.IntN(3) {
		a.anyOn(g)
	}
	end()
	if !a.odd() {
		a.pool = a.pool[:old]
	}
}

// misnamed is a module with a name that none may have.
type misnamed struct{ name string }

func (m misnamed) Name() string  { return m.name }
func (misnamed) Body(*dsl.Graph) {}
