package all

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// published is one version of an operator as testdata/schemas.txt has it.
type published struct {
	domain, name    string
	version         int
	attrs           map[string]publishedAttr
	inputs, outputs []publishedPort
}

type publishedAttr struct {
	kind     op.AttrKind
	required bool
	value    string // JSON; "" if there is no default
}

type publishedPort struct {
	name, variable            string
	types                     []string
	optional, variadic, mixed bool
	min                       int
}

// publishedSchemas reads the file, by operator.
func publishedSchemas(t *testing.T) map[string][]published {
	text, err := os.ReadFile("testdata/schemas.txt")
	if err != nil {
		t.Fatal(err)
	}
	sets, out := map[string][]string{}, map[string][]published{}
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "@") {
			sets[f[0]] = strings.Split(f[1], ",")
			continue
		}
		p := published{domain: strings.TrimPrefix(f[0], "ai.onnx"), name: f[1], attrs: map[string]publishedAttr{}}
		if p.domain != "" {
			p.domain = f[0]
		}
		p.version, _ = strconv.Atoi(f[2])
		for a := range strings.SplitSeq(f[3], "; ") {
			p.attribute(t, a)
		}
		p.inputs, p.outputs = publishedPorts(f[4], sets), publishedPorts(f[5], sets)
		key := p.domain + ":" + p.name
		out[key] = append(out[key], p)
	}
	return out
}

var publishedKinds = map[string]op.AttrKind{
	"INT": op.Int, "FLOAT": op.Float, "STRING": op.String, "TENSOR": op.Tensor, "SPARSE_TENSOR": op.Sparse, "GRAPH": op.Graph, "TYPE_PROTO": op.TypeProto,
	"INTS": op.Ints, "FLOATS": op.Floats, "STRINGS": op.Strings,
}

func (p *published) attribute(t *testing.T, s string) {
	if s == "" {
		return
	}
	name, rest, _ := strings.Cut(s, " ")
	rest, value, _ := strings.Cut(rest, "=")
	kind, required := strings.CutSuffix(rest, "!")
	if publishedKinds[kind] == 0 && p.domain != op.Microsoft {
		t.Errorf("%s: no kind %q", p.name, kind)
	}
	p.attrs[name] = publishedAttr{publishedKinds[kind], required, value}
}

func publishedPorts(s string, sets map[string][]string) []publishedPort {
	var out []publishedPort
	for f := range strings.FieldsSeq(s) {
		var p publishedPort
		f, p.mixed = strings.CutSuffix(f, "~")
		f, p.optional = strings.CutSuffix(f, "?")
		f, least, variadic := strings.Cut(f, "*")
		p.variadic = variadic
		p.min, _ = strconv.Atoi(least)
		var set string
		p.name, p.variable, _ = strings.Cut(f, ":")
		p.variable, set, _ = strings.Cut(p.variable, "@")
		p.types = sets["@"+set]
		out = append(out, p)
	}
	return out
}

// TestSchemas compares the rows of operators that others have defined with what those
// say of them. testdata/schemas.py writes that down anew.
func TestSchemas(t *testing.T) {
	all := publishedSchemas(t)
	for _, o := range op.All() {
		versions := all[o.Key()]
		if len(versions) == 0 {
			if !ours(o) {
				t.Errorf("%s: neither ONNX nor ONNX Runtime has it", o.Key())
			}
			continue
		}
		for i, p := range versions {
			if o.Domain != op.Microsoft && !slices.Contains(o.Since, p.version) {
				t.Errorf("%s: version %d is missing", o.Key(), p.version)
			}
			compareAttrs(t, o, p)
			comparePorts(t, o, p, "input", o.Inputs, p.inputs, i == len(versions)-1)
			comparePorts(t, o, p, "output", o.Outputs, p.outputs, i == len(versions)-1)
		}
	}
}

// unpublished are operators of others' domains that their own lists do not have.
var unpublished = []string{
	":DynamicSlice", // an experiment, since withdrawn
	"com.microsoft:SimplifiedLayerNormalization", // ONNX Runtime lists it under ONNX's domain
}

// ours reports whether bbgen alone defines the operator.
func ours(o *op.Op) bool {
	return strings.HasPrefix(o.Domain, op.Own) || strings.HasPrefix(o.Domain, "ai.bytesandbrains.") || slices.Contains(unpublished, o.Key())
}

func compareAttrs(t *testing.T, o *op.Op, p published) {
	for name, want := range p.attrs {
		a := o.AttrAt(name, p.version)
		switch {
		case a == nil:
			t.Errorf("%s, version %d: attribute %q is missing", o.Key(), p.version, name)
		case a.Kind != want.kind:
			t.Errorf("%s, version %d: attribute %q is %s, want %s", o.Key(), p.version, name, a.Kind, want.kind)
		case a.Required && !want.required || !a.Required && want.required && o.Domain != op.Microsoft:
			t.Errorf("%s, version %d: attribute %q is required: %v, want %v", o.Key(), p.version, name, a.Required, want.required)
		case want.value != "" && !sameDefault(a.Default, want.value):
			t.Errorf("%s, version %d: attribute %q is %v where it is left out, want %s", o.Key(), p.version, name, a.Default, want.value)
		}
	}
	for _, a := range o.Attrs {
		if _, have := p.attrs[a.Name]; !have && !a.Own && o.AttrAt(a.Name, p.version) != nil {
			t.Errorf("%s, version %d: there is no attribute %q", o.Key(), p.version, a.Name)
		}
	}
}

// sameDefault compares a default with one in JSON, as the float32 that files hold.
func sameDefault(have any, want string) bool {
	var v any
	if err := json.Unmarshal([]byte(want), &v); err != nil {
		return false
	}
	switch have := have.(type) {
	case int:
		return v == float64(have)
	case float64:
		f, ok := v.(float64)
		return ok && float32(f) == float32(have)
	}
	b, err := json.Marshal(have)
	return err == nil && strings.ReplaceAll(want, " ", "") == string(b)
}

func comparePorts(t *testing.T, o *op.Op, p published, side string, rows []op.Port, want []publishedPort, newest bool) {
	ports := op.PortsAt(rows, p.version)
	where := fmt.Sprintf("%s, version %d", o.Key(), p.version)
	if have, least := arity(rows, p.version), publishedArity(want); have.Min > least.Min || have.Max < least.Max && o.Domain != op.Microsoft {
		t.Errorf("%s: takes %v %ss, want %v", where, have, side, least)
	}
	if !newest {
		return
	}
	for i := range min(len(ports), len(want)) {
		a, b := ports[i], want[i]
		if a.Name != b.name || a.Variadic != b.variadic || b.variadic && a.Mixed != b.mixed {
			t.Errorf("%s: %s %d is %+v, want %+v", where, side, i, a, b)
		}
		if side == "input" && a.Optional != b.optional && o.Domain != op.Microsoft {
			t.Errorf("%s: input %d (%s) is optional: %v, want %v", where, i, a.Name, a.Optional, b.optional)
		}
		compareTypes(t, where, o, p, a, b)
	}
}

// publishedArity counts as [op.Op.In] does: a Loop without inputs is one.
func publishedArity(want []publishedPort) op.Arity {
	var ports []op.Port
	for _, w := range want {
		ports = append(ports, op.Port{Optional: w.optional, Variadic: w.variadic, Min: w.min})
	}
	return arity(ports, 1)
}

// arity is how many values the ports of a version stand for.
func arity(ports []op.Port, version int) op.Arity {
	return (&op.Op{Since: []int{version}, Inputs: ports}).In()
}

// compareTypes wants a port to take all that it should, but for what it lacks.
func compareTypes(t *testing.T, where string, o *op.Op, p published, a op.Port, b publishedPort) {
	types := a.Types
	if a.Like != "" {
		i := slices.IndexFunc(p.inputs, func(x publishedPort) bool { return x.name == a.Like })
		if i < 0 || p.inputs[i].variable != b.variable || b.variable == "" {
			t.Errorf("%s: %s is not like %s", where, a.Name, a.Like)
			return
		}
		k := slices.IndexFunc(o.Inputs, func(x op.Port) bool { return x.Name == a.Like })
		types, a.Lacks = o.Inputs[k].Types, o.Inputs[k].Lacks
	}
	for _, s := range b.types {
		v, known := typeNamed(s)
		if !known || types == nil {
			continue
		}
		if lacks := v.Kind == ir.Tensor && a.Lacks.Has(v.Elem); types.Takes(v) == lacks {
			t.Errorf("%s: %s takes %s: %v, and lacks it: %v", where, a.Name, s, types.Takes(v), lacks)
		}
	}
}

// typeNamed is a type of which the file gives elements or a kind.
func typeNamed(s string) (ir.Type, bool) {
	inner := ir.TensorOf(tensor.Float32)
	switch s {
	case "seq":
		return ir.SequenceOf(inner), true
	case "optional":
		return ir.OptionalOf(inner), true
	case "map":
		return ir.MapOf(tensor.Int64, inner), true
	}
	d, ok := tensor.ParseDType(s)
	return ir.Type{Elem: d}, ok
}

// TestRows checks what must hold of every schema.
func TestRows(t *testing.T) {
	for _, o := range op.All() {
		if len(o.Outputs) == 0 && !o.Effect || len(o.Inputs) == 0 && len(o.Outputs) == 0 {
			t.Errorf("%s has no schema", o.Key())
		}
		for i, a := range o.Attrs {
			if a.Name == "" || a.Kind == 0 || a.Required && a.Default != nil || a.Fixed && a.Default == nil {
				t.Errorf("%s: attribute %+v", o.Key(), a)
			}
			if a.Default != nil && !a.Kind.Holds(op.Attrs(a.Name, a.Default)[0].Value) {
				t.Errorf("%s: attribute %q is %s, and %v where it is left out", o.Key(), a.Name, a.Kind, a.Default)
			}
			if s, ok := a.Default.(string); ok && a.Values != nil && !slices.Contains(a.Values, s) {
				t.Errorf("%s: attribute %q is %q where it is left out, which is not allowed", o.Key(), a.Name, s)
			}
			for _, b := range o.Attrs[:i] {
				if a.Name == b.Name && (b.Until == 0 || a.Since < b.Until) {
					t.Errorf("%s: attribute %q means two things at once", o.Key(), a.Name)
				}
			}
		}
		rowPorts(t, o, o.Inputs)
		rowPorts(t, o, o.Outputs)
	}
}

func rowPorts(t *testing.T, o *op.Op, ports []op.Port) {
	for i, p := range ports {
		like := func(q op.Port) bool { return q.Name == p.Like }
		if p.Name == "" || p.Like != "" && (p.Types != nil || !slices.ContainsFunc(o.Inputs, like) && !slices.ContainsFunc(o.Outputs, like)) {
			t.Errorf("%s: port %+v", o.Key(), p)
		}
		if p.Variadic && i != len(ports)-1 {
			t.Errorf("%s: %s stands for several values, and is not the last", o.Key(), p.Name)
		}
	}
}
