package optest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// schemas is the schemas that ONNX and ONNX Runtime publish.
//
//go:embed testdata/schemas.txt
var schemas string

// A definition is one version of an operator in testdata/schemas.txt.
type definition struct {
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
func publishedSchemas(errorf errorf) map[string][]definition {
	sets, out := map[string][]string{}, map[string][]definition{}
	for line := range strings.Lines(schemas) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "@") {
			sets[f[0]] = strings.Split(f[1], ",")
			continue
		}
		p := definition{domain: strings.TrimPrefix(f[0], "ai.onnx"), name: f[1], attrs: map[string]publishedAttr{}}
		if p.domain != "" {
			p.domain = f[0]
		}
		p.version, _ = strconv.Atoi(f[2])
		for a := range strings.SplitSeq(f[3], "; ") {
			p.attribute(errorf, a)
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

func (p *definition) attribute(errorf errorf, s string) {
	if s == "" {
		return
	}
	name, rest, _ := strings.Cut(s, " ")
	rest, value, _ := strings.Cut(rest, "=")
	kind, required := strings.CutSuffix(rest, "!")
	if publishedKinds[kind] == 0 && p.domain != op.Microsoft {
		errorf("%s: no kind %q", p.name, kind)
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

// published compares the rows of published operators with their schemas. testdata/schemas.py writes the file
// of schemas.
func published(f *family, errorf errorf) {
	all := publishedSchemas(errorf)
	for _, o := range f.ops {
		versions := all[o.Key()]
		if len(versions) == 0 {
			if !ours(o) {
				errorf("%s: neither ONNX nor ONNX Runtime has it", o.Key())
			}
			continue
		}
		for i, p := range versions {
			if o.Domain != op.Microsoft && !slices.Contains(o.Since, p.version) {
				errorf("%s: version %d is missing", o.Key(), p.version)
			}
			compareAttrs(errorf, o, p)
			comparePorts(errorf, o, p, "input", o.Inputs, p.inputs, i == len(versions)-1)
			comparePorts(errorf, o, p, "output", o.Outputs, p.outputs, i == len(versions)-1)
		}
	}
}

// unpublished are operators of other domains that are not in the published lists.
var unpublished = []string{
	":DynamicSlice", // an experiment, which was withdrawn
	"com.microsoft:SimplifiedLayerNormalization", // ONNX Runtime lists it under ONNX's domain
}

// ours reports whether bbgen alone defines the operator.
func ours(o *op.Op) bool {
	return strings.HasPrefix(o.Domain, op.Own) || strings.HasPrefix(o.Domain, "ai.bytesandbrains.") || slices.Contains(unpublished, o.Key())
}

func compareAttrs(errorf errorf, o *op.Op, p definition) {
	for name, want := range p.attrs {
		a := o.AttrAt(name, p.version)
		switch {
		case a == nil:
			errorf("%s, version %d: attribute %q is missing", o.Key(), p.version, name)
		case a.Kind != want.kind:
			errorf("%s, version %d: attribute %q is %s, want %s", o.Key(), p.version, name, a.Kind, want.kind)
		case a.Required && !want.required || !a.Required && want.required && o.Domain != op.Microsoft:
			errorf("%s, version %d: attribute %q is required: %v, want %v", o.Key(), p.version, name, a.Required, want.required)
		case want.value != "" && !sameDefault(a.Default, want.value):
			errorf("%s, version %d: attribute %q is %v where it is left out, want %s", o.Key(), p.version, name, a.Default, want.value)
		}
	}
	for _, a := range o.Attrs {
		if _, have := p.attrs[a.Name]; !have && !a.Own && o.AttrAt(a.Name, p.version) != nil {
			errorf("%s, version %d: there is no attribute %q", o.Key(), p.version, a.Name)
		}
	}
}

// sameDefault compares a default with one in JSON, rounded to float32 as in files.
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

func comparePorts(errorf errorf, o *op.Op, p definition, side string, rows []op.Port, want []publishedPort, newest bool) {
	ports := op.PortsAt(rows, p.version)
	where := fmt.Sprintf("%s, version %d", o.Key(), p.version)
	if have, least := arity(rows, p.version), publishedArity(want); have.Min > least.Min || have.Max < least.Max && o.Domain != op.Microsoft {
		errorf("%s: takes %v %ss, want %v", where, have, side, least)
	}
	if !newest {
		return
	}
	for i := range min(len(ports), len(want)) {
		a, b := ports[i], want[i]
		if a.Name != b.name || a.Variadic != b.variadic || b.variadic && a.Mixed != b.mixed {
			errorf("%s: %s %d is %+v, want %+v", where, side, i, a, b)
		}
		if side == "input" && a.Optional != b.optional && o.Domain != op.Microsoft {
			errorf("%s: input %d (%s) is optional: %v, want %v", where, i, a.Name, a.Optional, b.optional)
		}
		compareTypes(errorf, where, o, p, a, b)
	}
}

// publishedArity returns the arity in the form of [op.Op.In]: a Loop without inputs counts as one.
func publishedArity(want []publishedPort) op.Arity {
	var ports []op.Port
	for _, w := range want {
		ports = append(ports, op.Port{Optional: w.optional, Variadic: w.variadic, Min: w.min})
	}
	return arity(ports, 1)
}

// arity returns the arity of the ports of a version.
func arity(ports []op.Port, version int) op.Arity {
	return (&op.Op{Since: []int{version}, Inputs: ports}).In()
}

// compareTypes checks that a port accepts all types of the published one, except those that it lists as
// lacking.
func compareTypes(errorf errorf, where string, o *op.Op, p definition, a op.Port, b publishedPort) {
	types := a.Types
	if a.Like != "" {
		i := slices.IndexFunc(p.inputs, func(x publishedPort) bool { return x.name == a.Like })
		if i < 0 || p.inputs[i].variable != b.variable || b.variable == "" {
			errorf("%s: %s is not like %s", where, a.Name, a.Like)
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
			errorf("%s: %s takes %s: %v, and lacks it: %v", where, a.Name, s, types.Takes(v), lacks)
		}
	}
}

// typeNamed returns a type for a name of an element type or a kind in the file.
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
