package recurrent

import (
	"fmt"
	"strings"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [LSTM]. Those of [GRU], [RNN] and [DynamicLSTM] begin in the same way.
const (
	recurrentX = iota
	recurrentW
	recurrentR
	recurrentB
	recurrentSequenceLens
	recurrentInitialH
	recurrentInitialC
	recurrentP
)

// recurrent holds the common attributes and sizes of recurrent layers.
type recurrent struct {
	seq, batch, input, hidden ir.Dim
	directions                int
	batchFirst                bool
}

// readRecurrent reads the sizes of a layer.
func readRecurrent(n *ir.Node) (r recurrent, err error) {
	x, w, rec := op.Shape(n.In[recurrentX]), op.Shape(n.In[recurrentW]), op.Shape(n.In[recurrentR])
	for i, s := range [][]ir.Dim{x, w, rec} {
		if len(s) != 3 {
			return r, fmt.Errorf("input %q has rank %d, want 3", n.In[i].Name, len(s))
		}
	}
	r = recurrent{seq: x[0], batch: x[1], input: x[2], hidden: rec[2], directions: 1}
	switch l := n.Int("layout"); l {
	case 0:
	case 1:
		r.seq, r.batch, r.batchFirst = x[1], x[0], true
	default:
		return r, fmt.Errorf("layout is %d, want 0 or 1", l)
	}
	if n.Str("direction") == "bidirectional" {
		r.directions = 2
	}
	if h := n.IntOr("hidden_size", -1); h >= 0 && !op.MayEqual(r.hidden, ir.C(h)) {
		return r, fmt.Errorf("hidden_size is %d, and input %q has shape %v", h, n.In[recurrentR].Name, rec)
	}
	return r, nil
}

// inferRecurrent returns the inference of a layer with the given numbers of gates and of state tensors.
func inferRecurrent(gates, states int) func(c *op.Infer) error {
	return func(c *op.Infer) error {
		for i := range 3 {
			if _, err := c.FloatRank(i, 3); err != nil {
				return err
			}
		}
		r, err := readRecurrent(c.Node)
		if err != nil {
			return err
		}
		if _, err := gateFuncs(c.Node, r.directions); err != nil {
			return err
		}
		if err := checkRecurrent(c, r, gates, states); err != nil {
			return err
		}
		r.outputs(c, states)
		return nil
	}
}

// outputs sets the types of a layer's outputs.
func (r recurrent) outputs(c *op.Infer, states int) {
	elem, d := c.Type(recurrentX).Elem, ir.C(r.directions)
	y := []ir.Dim{r.seq, d, r.batch, r.hidden}
	if r.batchFirst {
		y = []ir.Dim{r.batch, r.seq, d, r.hidden}
	}
	c.OutTensor(0, elem, y...)
	for i := range states {
		c.OutTensor(1+i, elem, r.stateShape()...)
	}
}

func (r recurrent) stateShape() []ir.Dim {
	if r.batchFirst {
		return []ir.Dim{r.batch, ir.C(r.directions), r.hidden}
	}
	return []ir.Dim{ir.C(r.directions), r.batch, r.hidden}
}

// checkRecurrent compares the inputs' types with the sizes of the layer.
func checkRecurrent(c *op.Infer, r recurrent, gates, states int) error {
	d, n := ir.C(r.directions), r.hidden.Mul(ir.C(gates))
	shapes := [][]ir.Dim{1: {d, n, r.input}, 2: {d, n, r.hidden}, 3: {d, n.Mul(ir.C(2))}, 4: {r.batch}}
	for range states {
		shapes = append(shapes, r.stateShape())
	}
	shapes = append(shapes, []ir.Dim{d, r.hidden.Mul(ir.C(3))})
	for i := 1; i < min(len(c.In), len(shapes)); i++ {
		if c.In[i] == nil {
			continue
		}
		if err := c.HasShape(i, shapes[i]...); err != nil {
			return err
		}
		if i < 3 && c.Type(i).Elem == tensor.Int8 {
			continue
		}
		if i != 4 {
			if err := c.LikeInput0(i); err != nil {
				return err
			}
		} else if t := c.Type(i).Elem; t != tensor.Int32 {
			return fmt.Errorf("input %q is %s, want int32", c.In[i].Name, t)
		}
	}
	return nil
}

// params returns the layer as the kernels' parameter.
func (r recurrent) params(n *ir.Node) (op.Struct, error) {
	gates, err := gateFuncs(n, r.directions)
	fields := []op.Field{
		{Name: "Seq", Value: r.seq}, {Name: "Batch", Value: r.batch}, {Name: "Input", Value: r.input}, {Name: "Hidden", Value: r.hidden},
		{Name: "Directions", Value: r.directions},
	}
	flag := func(name string, on bool) {
		if on {
			fields = append(fields, op.Field{Name: name, Value: true})
		}
	}
	flag("Reverse", n.Str("direction") == "reverse")
	flag("BatchFirst", r.batchFirst)
	flag("InputForget", n.Int("input_forget") != 0)
	flag("LinearBeforeReset", n.Int("linear_before_reset") != 0)
	if c := n.Float("clip"); c > 0 {
		fields = append(fields, op.Field{Name: "Clip", Value: c})
	}
	return op.Struct{Type: "Recurrent", Fields: append(fields, gates...)}, err
}

// gateNames are the functions that the gates of a direction end in, by default.
var gateNames = map[string][]string{
	"LSTM":        {"Sigmoid", "Tanh", "Tanh"},
	"DynamicLSTM": {"Sigmoid", "Tanh", "Tanh"},
	"GRU":         {"Sigmoid", "Tanh"},
	"RNN":         {"Tanh"},
}

// gateKinds are the functions of gates, with the default values of alpha and beta.
var gateKinds = []struct {
	name              string
	hasAlpha, hasBeta bool
	alpha, beta       float64
}{
	{name: "Sigmoid"}, {name: "Tanh"}, {name: "Relu"}, {name: "Softsign"}, {name: "Softplus"},
	{"Affine", true, true, 1, 0},
	{"LeakyRelu", true, false, 0.01, 0},
	{"ThresholdedRelu", true, false, 1, 0},
	{"ScaledTanh", true, true, 1, 1},
	{"HardSigmoid", true, true, 0.2, 0.5},
	{"Elu", true, false, 1, 0},
}

// gateFuncs reads the functions of the gates of each direction, as fields of the kernels' parameter. A
// function with a parameter takes the next number of activation_alpha or activation_beta.
func gateFuncs(n *ir.Node, directions int) ([]op.Field, error) {
	names := n.Strs("activations")
	per := len(gateNames[n.Op])
	if len(names) == 0 {
		for range directions {
			names = append(names, gateNames[n.Op]...)
		}
	}
	if n.Op == "RNN" && len(names) == 2 && directions == 1 {
		names = names[:1] // the schema's default is for two directions
	}
	if len(names) != per*directions {
		return nil, fmt.Errorf("has %d activations, want %d", len(names), per*directions)
	}
	alphas, betas := n.Floats("activation_alpha"), n.Floats("activation_beta")
	next := func(list *[]float64, def float64) float64 {
		if len(*list) == 0 {
			return def
		}
		def, *list = (*list)[0], (*list)[1:]
		return def
	}
	var fields []op.Field
	for i, name := range names {
		kind := -1
		for k, g := range gateKinds {
			if strings.EqualFold(g.name, name) {
				kind = k
			}
		}
		if kind < 0 {
			return nil, fmt.Errorf("activation %q is none that a gate can end in", name)
		}
		k := gateKinds[kind]
		gate := []op.Field{{Name: "Kind", Value: op.Const("Gate" + k.name)}}
		if k.hasAlpha {
			gate = append(gate, op.Field{Name: "Alpha", Value: next(&alphas, k.alpha)})
		}
		if k.hasBeta {
			gate = append(gate, op.Field{Name: "Beta", Value: next(&betas, k.beta)})
		}
		field := string("FGH"[i%per])
		if i >= per {
			field += "2"
		}
		fields = append(fields, op.Field{Name: field, Value: op.Struct{Type: "Gate", Fields: gate}})
	}
	return fields, nil
}

// inputs returns the inputs of the layer other than its weights as an argument of kernels.
func (r recurrent) inputs(l *op.Lowering) op.Struct {
	return op.Struct{Type: "RecurrentIn", Elems: []tensor.DType{l.In[recurrentX].Type.Elem}, Fields: []op.Field{
		{Name: "X", Value: l.In[recurrentX]}, {Name: "B", Value: l.Arg(recurrentB)}, {Name: "Lens", Value: l.Arg(recurrentSequenceLens)},
		{Name: "H0", Value: l.Arg(recurrentInitialH)}, {Name: "C0", Value: l.Arg(recurrentInitialC)}, {Name: "P", Value: l.Arg(recurrentP)},
	}}
}

// buffers returns the scratch memory of a layer with the given numbers of gates and of state tensors as an
// argument of kernels.
func (r recurrent) buffers(l *op.Lowering, gates, states int) op.Struct {
	elem, n := l.In[recurrentX].Type.Elem, r.hidden.Mul(ir.C(gates))
	fields := []op.Field{{Name: "GX", Value: l.Scratch(elem, r.seq, r.batch, n)}, {Name: "GH", Value: l.Scratch(elem, r.batch, n)}}
	for _, name := range []string{"H", "C"}[:states] {
		fields = append(fields, op.Field{Name: name, Value: l.Scratch(elem, r.batch, r.hidden)})
	}
	return op.Struct{Type: "RecurrentBuffers", Elems: []tensor.DType{elem}, Fields: fields}
}

// weights returns the layer's weights as arguments, and the parameters. Weights that are constants of float32
// are packed, which the parameters record. The recurrent ones are packed in parts of the given numbers of
// gates.
func (r recurrent) weights(l *op.Lowering, params op.Struct, gates int, parts []int) (w, rec any, _ op.Struct) {
	n, ok := r.hidden.Const()
	k, ok2 := r.input.Const()
	if !ok || !ok2 || !l.In[recurrentW].IsConst() || !l.In[recurrentR].IsConst() || l.In[recurrentX].Type.Elem != tensor.Float32 {
		return l.In[recurrentW], l.In[recurrentR], params
	}
	dims := []int{r.directions, n}
	for _, p := range parts {
		dims = append(dims, p*n)
	}
	params.Fields = append(params.Fields, op.Field{Name: "Packed", Value: true})
	return op.Packed{Value: l.In[recurrentW], Packer: "PackGates", Dims: []int{r.directions, k, gates * n}}, op.Packed{Value: l.In[recurrentR], Packer: "PackGates", Dims: dims}, params
}

// upgradeRecurrent drops attributes of older versions that selected outputs.
func upgradeRecurrent(_ *ir.Builder, n *ir.Node) error {
	n.Attrs.Delete("output_sequence")
	return nil
}

// recurrentOf returns the layer to lower, and the parameters of its kernel.
func recurrentOf(l *op.Lowering) (r recurrent, params op.Struct, err error) {
	if r, err = readRecurrent(l.Node); err == nil {
		params, err = r.params(l.Node)
	}
	return r, params, err
}

// lowerRecurrent returns the lowering of a layer with one tensor as its state.
func lowerRecurrent(kernel string, gates int) func(l *op.Lowering) error {
	return func(l *op.Lowering) error {
		r, params, err := recurrentOf(l)
		if err != nil {
			return err
		}
		parts := []int{gates}
		if l.Op == "GRU" && l.Int("linear_before_reset") == 0 {
			parts = []int{2, 1} // two products, with the reset gate between them
		}
		w, rec, params := r.weights(l, params, gates, parts)
		l.Call(kernel, l.Res(0), l.Res(1), r.inputs(l), w, rec, r.buffers(l, gates, 1), params)
		return nil
	}
}

var directions = []string{"forward", "reverse", "bidirectional"}

// recurrentWork is that of the gates' matrix products, of the input and of the
// state, in each step.
func recurrentWork(gates int) func(n *ir.Node) ir.Dim {
	return func(n *ir.Node) ir.Dim {
		r, err := readRecurrent(n)
		if err != nil {
			return ir.C(0)
		}
		steps := r.seq.Mul(r.batch).Mul(ir.C(2 * gates * r.directions))
		return steps.Mul(r.hidden).Mul(r.input.Add(r.hidden))
	}
}
