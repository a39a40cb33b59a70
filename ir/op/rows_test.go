package op_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	_ "github.com/bbgen/bbgen/ir/op/all" // the table
)

// TestRows shows what the rows of the table make of single nodes: each line of a section that is named after a
// function of [rows] is a node with its parameters, "%x: float32[n] | Relu(%x)", and out/NAME is its result or error.
// Nodes before the last are separated by semicolons.
func TestRows(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, a *golden.Archive) {
		for _, name := range a.Sections() {
			show := rows[name]
			if show == nil {
				continue
			}
			var b strings.Builder
			for line := range strings.Lines(a.Get(name)) {
				text, err := shown(show, line)
				if err != nil {
					text = "error: " + err.Error()
				}
				text = strings.ReplaceAll(text, fmt.Sprint(op.MaxSize), fmt.Sprint(int64(1<<36))) // 32 bits have a smaller one
				fmt.Fprintf(&b, "%s\t%s\n", line, strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n\t"))
			}
			a.Check("out/"+name, b.String())
		}
	})
}

// rows are the functions of a row that [TestRows] shows.
var rows = map[string]func(m *ir.Module, o *op.Op, n *ir.Node) (string, error){
	"types":   typed(func(_ *ir.Module, _ *op.Op, n *ir.Node) (string, error) { return typesOf(n), nil }),
	"lower":   typed(lowered),
	"grad":    typed(gradient),
	"expand":  typed(expanded),
	"last":    typed(last),
	"wide":    typed(wide),
	"upgrade": upgraded,
}

// typed returns a function that infers types first.
func typed(show func(*ir.Module, *op.Op, *ir.Node) (string, error)) func(*ir.Module, *op.Op, *ir.Node) (string, error) {
	return func(m *ir.Module, o *op.Op, n *ir.Node) (string, error) {
		if o == nil || !o.Synonym() {
			if err := (op.Inferrer{}).Infer(m, n); err != nil {
				return "", err
			}
		}
		return show(m, o, n)
	}
}

// shown parses the node of a line and shows it. The nodes before it have types.
func shown(show func(*ir.Module, *op.Op, *ir.Node) (string, error), line string) (string, error) {
	params, body, _ := strings.Cut(strings.TrimSpace(line), " | ")
	opset, params, ok := strings.Cut(params, " / ")
	if !ok {
		opset, params = "28", opset
	}
	nodes := strings.Split(body, "; ")
	k := len(nodes) - 1
	if !strings.HasPrefix(nodes[k], "%") {
		nodes[k] = "%y = " + nodes[k]
	}
	m, err := ir.Parse("in.ir", fmt.Sprintf("module \"m\"\nopset %s, com.microsoft 1, ai.onnx.ml 5\nfunc @main(%s) -> (%%y) {\n%s\n}", opset, params, strings.Join(nodes, "\n")))
	if err != nil {
		return "", err
	}
	n := m.Main.Body.Nodes[len(m.Main.Body.Nodes)-1]
	for _, before := range m.Main.Body.Nodes {
		if before == n {
			break
		}
		if err := (op.Inferrer{}).Infer(m, before); err != nil {
			return "", err
		}
	}
	return show(m, op.Lookup(n), n)
}

func typesOf(n *ir.Node) string {
	var out []string
	for _, v := range n.Out {
		if v == nil {
			out = append(out, "_")
			continue
		}
		text := v.Type.String()
		if v.Elems != nil {
			text += fmt.Sprintf(" = %v", v.Elems)
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// lowered returns the calls of kernels, with the scratch memory that they need.
func lowered(_ *ir.Module, o *op.Op, n *ir.Node) (string, error) {
	l, err := o.Lowered(n, nil)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintln(&b, typesOf(n))
	for _, v := range l.Temps {
		fmt.Fprintf(&b, "scratch %s %s\n", v.Name, v.Type)
	}
	for _, c := range l.Calls {
		if len(c.Binds) > 0 {
			fmt.Fprintf(&b, "%s = ", strings.Join(c.Binds, ", "))
		}
		fmt.Fprint(&b, callText(c))
		if c.Checks() {
			fmt.Fprint(&b, " // a check")
		}
		if c.Part != nil {
			fmt.Fprintf(&b, " // some elements: %s", callText(*c.Part))
		}
		fmt.Fprintln(&b)
	}
	return b.String(), nil
}

func callText(c op.Call) string {
	args := make([]string, len(c.Args))
	for i, a := range c.Args {
		args[i] = argument(a)
	}
	return fmt.Sprintf("%s(%s)", c.Kernel, strings.Join(args, ", "))
}

func argument(a any) string {
	switch a := a.(type) {
	case *ir.Value:
		switch {
		case a == nil:
			return "nil"
		case a.Const != nil && a.Const.Len() < 5:
			return fmt.Sprint(a.Const.Data)
		}
		return a.Name
	case op.Boxed:
		return "boxed " + argument(a.Value)
	case op.Whole:
		return "whole " + argument(a.Value)
	case op.Packed:
		name := a.Packer
		if a.Elem != 0 {
			name += " as " + a.Elem.String()
		}
		return fmt.Sprintf("%s(%s, %v)", name, argument(a.Value), a.Dims)
	case op.Derived:
		return fmt.Sprintf("%s(%s, %v)", a.Maker, argument(a.Packed), a.Sizes)
	case op.Struct:
		var fields []string
		for _, f := range a.Fields {
			if f.Has() {
				fields = append(fields, f.Name+": "+argument(f.Value))
			}
		}
		name := a.Type
		if len(a.Elems) > 0 {
			name += strings.ReplaceAll(fmt.Sprint(a.Elems), " ", ", ")
		}
		return fmt.Sprintf("%s{%s}", name, strings.Join(fields, ", "))
	case string:
		return fmt.Sprintf("%q", a)
	}
	return fmt.Sprint(a)
}

// gradient returns the graph that computes the gradients of the inputs from those of the outputs, dy.
func gradient(m *ir.Module, o *op.Op, n *ir.Node) (string, error) {
	if o.Grad == nil {
		return "", fmt.Errorf("no gradient: %s", o.Stops)
	}
	b := &ir.Builder{Module: m, Infer: op.Inferrer{}}
	var dy []*ir.Value
	for _, v := range n.Out {
		d := &ir.Value{Name: "d" + v.Name, Type: v.Type}
		m.Main.Body.Params = append(m.Main.Body.Params, d)
		dy = append(dy, d)
	}
	dx := o.Grad(b, n, dy)
	var names []string
	m.Main.Body.Results = nil
	for i, v := range dx {
		switch v {
		case nil:
			names = append(names, "none")
		case op.NoGrad:
			names = append(names, "not differentiable")
		default:
			names = append(names, "%"+v.Name+" of "+argument(n.In[i])+": "+v.Type.String())
		}
	}
	return nodesText(m, b.Nodes) + "gradients: " + strings.Join(names, ", "), b.Err()
}

// expanded returns the nodes of a definition, which define the outputs of the node.
func expanded(m *ir.Module, o *op.Op, n *ir.Node) (string, error) {
	if !o.Defined(n) {
		return "", fmt.Errorf("is not defined by other operators")
	}
	b := &ir.Builder{Module: m, Infer: op.Inferrer{}}
	vs, err := o.Expand(b, n)
	if err != nil {
		return "", err
	}
	op.TakeOver(b, n, vs)
	return nodesText(m, b.Nodes), b.Err()
}

// last returns the form of a node on data with the channels last: operands are transposed.
func last(m *ir.Module, _ *op.Op, n *ir.Node) (string, error) {
	form, ok := op.FindLast(n)
	if !ok {
		return "", fmt.Errorf("has no form with the channels last")
	}
	b := &ir.Builder{Module: m, Infer: op.Inferrer{}}
	of := func(v *ir.Value) *ir.Value {
		if len(op.Shape(v)) < 3 {
			return nil
		}
		perm := op.AllAxes(len(op.Shape(v)))
		return b.OpA("Transpose", op.Attrs("perm", append(append(perm[:1:1], perm[2:]...), 1)), v)
	}
	l := &op.Last{Node: n, B: b, Of: of, Moves: func(*ir.Value) bool { return false }}
	var vs []*ir.Value
	if form.BuildAll != nil {
		vs = form.BuildAll(l)
	} else if v := form.Build(l); v != nil {
		vs = []*ir.Value{v}
	}
	if vs == nil {
		return "", fmt.Errorf("has no form with the channels last for these operands")
	}
	return nodesText(m, b.Nodes), b.Err()
}

// wide returns the nodes that compute a node of small floats in float32.
func wide(m *ir.Module, _ *op.Op, n *ir.Node) (string, error) {
	if !op.Small(n) {
		return "", fmt.Errorf("does not compute on small floats")
	}
	b := &ir.Builder{Module: m, Infer: op.Inferrer{}}
	op.TakeOver(b, n, op.Widened(b, n))
	return nodesText(m, b.Nodes), b.Err()
}

// upgraded returns the node in the newest version of its operator.
func upgraded(m *ir.Module, o *op.Op, n *ir.Node) (string, error) {
	b := &ir.Builder{Module: m, Infer: op.Inferrer{}}
	if err := o.Renew(b, n); err != nil {
		return "", err
	}
	if err := b.Infer.Infer(m, n); err != nil {
		return "", err
	}
	return nodesText(m, append(slices.Clone(b.Nodes), n)), b.Err()
}

// nodesText prints nodes, and the constants that they read.
func nodesText(m *ir.Module, nodes []*ir.Node) string {
	m.Main.Body.Nodes = nodes
	text := ir.Print(m)
	_, text, _ = strings.Cut(text, "{\n")
	var b strings.Builder
	for line := range strings.Lines(strings.TrimSuffix(text, "}\n")) {
		if line = strings.TrimSpace(line); line != "" {
			fmt.Fprintln(&b, line)
		}
	}
	return b.String()
}
