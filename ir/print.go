package ir

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Print returns the text form of m, which [Parse] reads:
//
//	module "mlp"
//	opset 22
//
//	func @main(%x: float32[batch,784]) -> (%y) {
//	  const %b: float32[2] = [0.5, -1]
//	  state %w: float32[784,2] parameter -> %w
//
//	  %y = Gemm(%x, %w, %b) {transB = 1} : float32[batch,2] at "model.go:17"
//	}
//
// Constants are printed at the top of the function that reads them, in the order of their first use. For a
// constant of more than [MaxPrinted] elements, its hash is printed. Print prints invalid modules, too, as far
// as possible.
func Print(m *Module) string {
	p := &printer{m: m}
	p.module()
	return p.out.String()
}

type printer struct {
	m      *Module
	f      *Func // the function being printed
	out    strings.Builder
	indent int
	bare   bool // nodes are printed without version and class
}

func (p *printer) printf(format string, args ...any) { fmt.Fprintf(&p.out, format, args...) }

// line starts a new line.
func (p *printer) line(format string, args ...any) {
	p.out.WriteString("\n" + strings.Repeat("  ", p.indent))
	p.printf(format, args...)
}

func (p *printer) module() {
	p.printf("module %q", p.m.Name)
	if p.m.File != "" {
		p.line("file %q", p.m.File)
	}
	if len(p.m.Opsets) > 0 {
		p.line("opset %s", opsetText(p.m.Opsets))
	}
	for _, kv := range p.m.Meta {
		p.line("meta %q = %q", kv.Key, kv.Value)
	}
	for _, f := range p.m.AllFuncs() {
		if f != nil {
			p.out.WriteByte('\n')
			p.line("func ")
			p.fn(f, nil)
		}
	}
	for _, t := range p.m.Training {
		p.out.WriteByte('\n')
		p.training(t)
	}
	p.out.WriteByte('\n')
}

// training prints a [Training], with the constants that no function reads.
func (p *printer) training(t *Training) {
	p.line("training {")
	p.indent++
	var declared []*Value
	if p.m.Main != nil {
		declared = p.m.Main.Consts()
	}
	if t.Algorithm != nil {
		p.line("algorithm func ")
		p.fn(t.Algorithm, declared)
		declared = append(declared, t.Algorithm.Consts()...)
	}
	var bound []*Value
	for _, b := range t.Updates {
		bound = append(bound, b.To, b.From)
	}
	for _, b := range t.Inits {
		bound = append(bound, b.To)
	}
	for _, v := range constants(bound, declared) {
		p.constant(v)
	}
	for _, b := range t.Updates {
		p.line("update %s = %s", valueText(b.To), valueText(b.From))
	}
	if t.Init != nil {
		p.line("init func ")
		from := make([]*Value, len(t.Inits))
		for i, b := range t.Inits {
			from[i] = b.From
		}
		p.fn(t.Init, nil, from...)
	}
	for _, b := range t.Inits {
		p.line("init %s = %s", valueText(b.To), valueText(b.From))
	}
	p.indent--
	p.line("}")
}

// constants returns the constants among values, each once, that are not declared yet.
func constants(values, declared []*Value) []*Value {
	var out []*Value
	for _, v := range values {
		if v.IsConst() && !slices.Contains(declared, v) && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// opsetText returns a list of operator sets: "22, ai.onnx.ml 3".
func opsetText(sets map[string]int) string {
	var items []string
	for _, domain := range slices.Sorted(maps.Keys(sets)) {
		s := fmt.Sprint(sets[domain])
		if domain != "" {
			s = quoteName(domain) + " " + s
		}
		items = append(items, s)
	}
	return strings.Join(items, ", ")
}

// fn prints a function without the keyword. The constants in declared are printed elsewhere. Those in bound
// are read by bindings, and need no reading node.
func (p *printer) fn(f *Func, declared []*Value, bound ...*Value) {
	p.f = f
	p.printf("@%s", qualified(f.Domain, f.Name))
	if f.Body == nil {
		p.printf(" // has no body")
		return
	}
	p.printf("%s", signature(f.Body))
	if len(f.Attrs) > 0 {
		names := make([]string, len(f.Attrs))
		for i, a := range f.Attrs {
			names[i] = quoteName(a)
		}
		p.printf(" attrs (%s)", strings.Join(names, ", "))
	}
	if len(f.Defaults) > 0 {
		p.printf(" defaults %s", p.attrs(f.Defaults))
	}
	if f.Overload != "" {
		p.printf(" overload %q", f.Overload)
	}
	if len(f.Opsets) > 0 {
		p.printf(" opset %s", opsetText(f.Opsets))
	}
	p.printf(" {")
	p.indent++
	consts := constants(append(f.Consts(), bound...), declared)
	for _, s := range f.State {
		p.state(s)
	}
	for _, v := range consts {
		p.constant(v)
	}
	if len(f.State)+len(consts) > 0 && len(f.Body.Nodes) > 0 {
		p.out.WriteByte('\n')
	}
	p.nodes(f.Body.Nodes)
	p.indent--
	p.line("}")
}

func (p *printer) constant(v *Value) {
	p.line("const %s%s = %s%s", valueText(v), typeSuffix(v), p.literal(v.Type, v.Const), docSuffix(v))
}

func (p *printer) state(s *State) {
	if s == nil {
		p.line("// nil state")
		return
	}
	p.line("state %s %s", defText(s.Param), quoteName(string(s.Kind)))
	if s.Init != nil {
		var t Type
		if s.Param != nil {
			t = s.Param.Type
		}
		p.printf(" = %s", p.literal(t, s.Init))
	}
	p.printf(" -> %s", valueText(s.Next))
}

// maxLine is the length from which the parameters of a function are printed on separate lines.
const maxLine = 100

// signature returns a region's parameters and results.
func signature(r *Region) string {
	params := make([]string, len(r.Params))
	for i, v := range r.Params {
		params[i] = defText(v)
	}
	in := strings.Join(params, ", ")
	if len(params) > 1 && len(in) > maxLine {
		in = "\n    " + strings.Join(params, ",\n    ") + ",\n"
	}
	return fmt.Sprintf("(%s) -> (%s)", in, valuesText(r.Results))
}

func (p *printer) nodes(nodes []*Node) {
	for _, n := range nodes {
		if n == nil {
			p.line("// nil node")
			continue
		}
		p.node(n)
	}
}

func (p *printer) node(n *Node) {
	p.line("")
	if len(n.Out) > 0 {
		p.printf("%s = ", valuesText(n.Out))
	}
	if n.Local {
		p.printf("call ")
	}
	p.printf("%s(%s)", qualified(n.Domain, n.Op), valuesText(n.In))
	if len(n.Attrs) > 0 {
		p.printf(" %s", p.attrs(n.Attrs))
	}
	if s := outsText(n.Out); s != "" {
		p.printf(" : %s", s)
	}
	if len(n.Syms) > 0 {
		syms := make([]string, len(n.Syms))
		for i, s := range n.Syms {
			syms[i] = quoteName(s)
		}
		p.printf(" syms [%s]", strings.Join(syms, ", "))
	}
	if n.Over != "" {
		p.printf(" overload %q", n.Over)
	}
	if n.Name != n.defaultName() {
		p.printf(" name %q", n.Name)
	}
	if !p.bare && n.Version != p.m.opset(p.f, n.Domain) {
		p.printf(" v%d", n.Version)
	}
	if !p.bare && n.Class != "" {
		p.printf(" @%s", quoteName(n.Class))
	}
	if n.Pos != "" {
		p.printf(" at %q", n.Pos)
	}
	p.indent++
	for _, r := range n.Regions {
		if r == nil {
			p.line("// nil region")
			continue
		}
		p.line("%s%s {", quoteName(r.Name), signature(r))
		p.indent++
		p.nodes(r.Nodes)
		p.indent--
		p.line("}")
	}
	p.indent--
}

// outsText returns the types of a node's outputs, or "" if all are unknown.
func outsText(vs []*Value) string {
	var items []string
	known := false
	for _, v := range vs {
		if v == nil {
			continue
		}
		s := v.Type.String() + elemsSuffix(v) + docSuffix(v)
		known = known || s != unknownType
		items = append(items, s)
	}
	if !known {
		return ""
	}
	return strings.Join(items, ", ")
}

// defText returns the text of a value at its definition: %x: float32[2].
func defText(v *Value) string {
	if v == nil {
		return "_"
	}
	return valueText(v) + typeSuffix(v) + elemsSuffix(v) + docSuffix(v)
}

func typeSuffix(v *Value) string {
	s := v.Type.String()
	if s == unknownType && (v.Elems == nil || v.Const != nil) {
		return ""
	}
	return ": " + s
}

// elemsSuffix returns the text of the known elements: " = {batch, let n, 3}". The word let marks a symbol
// that v binds.
func elemsSuffix(v *Value) string {
	if v.Elems == nil {
		return ""
	}
	items := make([]string, len(v.Elems))
	for i, d := range v.Elems {
		items[i] = d.String()
		if i < len(v.ElemSyms) && v.ElemSyms[i] != "" {
			items[i] = "let " + quoteName(v.ElemSyms[i])
		}
	}
	return " = {" + strings.Join(items, ", ") + "}"
}

func docSuffix(v *Value) string {
	if v.Doc == "" {
		return ""
	}
	return fmt.Sprintf(" doc %q", v.Doc)
}
