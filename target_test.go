package bbgen_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/target"
	"github.com/bbgen/bbgen/ir/train"
	"github.com/bbgen/bbgen/partitioner"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Models whose choices depend on the target. Inputs whose names begin with w become constants.
const (
	winograd = "%x: float32[1,64,28,28], %w: float32[64,64,3,3]) -> (%y) {\n  %y = Conv(%x, %w) {pads = [1, 1, 1, 1]}\n}\n"
	deep     = "%x: float32[1,512,7,7], %w: float32[512,512,3,3]) -> (%y) {\n  %y = Conv(%x, %w) {pads = [1, 1, 1, 1]}\n}\n"
	thin     = "%x: float32[1,16,28,28], %w: float32[16,16,3,3]) -> (%y) {\n  %y = Conv(%x, %w) {pads = [1, 1, 1, 1]}\n}\n"
	free     = "%x: float32[1,64,h,v], %w: float32[64,64,3,3]) -> (%y) {\n  %y = Conv(%x, %w) {pads = [1, 1, 1, 1]}\n}\n"
	few      = "%x: float32[1,8,28,28], %w: float32[3,8,7,7]) -> (%y) {\n  %y = Conv(%x, %w) {pads = [3, 3, 3, 3]}\n}\n"
	photo    = "%x: float32[1,3,28,28], %w: float32[16,3,5,5]) -> (%y) {\n  %y = Conv(%x, %w)\n}\n"
	large    = "%x: float32[1,256], %w: float32[256,256]) -> (%y) {\n  %y = MatMul(%x, %w)\n}\n"
	vector   = "%x: float32[4096]) -> (%y) {\n  %e = Exp(%x)\n  %y = Tanh(%e)\n}\n"
	rows     = "%x: float32[n,512]) -> (%y) {\n  %e = Exp(%x)\n  %y = Tanh(%e)\n}\n"
	layers   = "%x: float32[n,64], %w1: float32[64,64], %w2: float32[64,512], %w3: float32[512,16], %w4: float32[16,16]) -> (%y) {\n" +
		"  %a = MatMul(%x, %w1)\n  %b = MatMul(%a, %w2)\n  %c = MatMul(%b, %w3)\n  %y = MatMul(%c, %w4)\n}\n"
	learner = "%x: float32[8,64], %w1: float32[64,64], %w2: float32[64,64], %w3: float32[64,64]) -> (%y) {\n" +
		"  %a = MatMul(%x, %w1)\n  %b = Tanh(%a)\n  %c = MatMul(%b, %w2)\n  %d = Tanh(%c)\n  %y = MatMul(%d, %w3)\n}\n"
)

// TestTargetDecides: each number of a target decides something. With another number, other code is generated for a model, or
// another cost is reported.
func TestTargetDecides(t *testing.T) {
	decides := map[string]bool{"Level": true} // a name, which costs nothing
	for _, c := range []struct {
		field  string
		change func(*target.Target)
		model  string
		config bbgen.Config
	}{
		{"Cores", func(t *target.Target) { t.Cores = 1000 }, layers, split},
		{"Caches", func(t *target.Target) { t.Caches = caches(33<<10, 1<<20) }, vector, bbgen.Config{}},
		{"Caches", func(t *target.Target) { t.Caches = caches(32<<10, 2<<20) }, large, bbgen.Config{}},
		{"Caches", func(t *target.Target) { t.Caches = caches(32<<10, 1<<10) }, few, bbgen.Config{}},
		{"Products", func(t *target.Target) { t.Products = 1 << 20 }, winograd, bbgen.Config{}},
		{"Transforms", func(t *target.Target) { t.Transforms = 1 }, winograd, bbgen.Config{}},
		{"Bytes", func(t *target.Target) { t.Bytes = 1 }, deep, bbgen.Config{}},
		{"Call", func(t *target.Target) { t.Call = 1e9 }, winograd, bbgen.Config{}},
		{"Columns", func(t *target.Target) { t.Columns = 1024 }, thin, bbgen.Config{}},
		{"HalfPanel", func(t *target.Target) { t.HalfPanel = 32 }, few, bbgen.Config{}},
		{"Limits.Winograd", func(t *target.Target) { t.Limits.Winograd = 65 }, winograd, bbgen.Config{}},
		{"Limits.Planes", func(t *target.Target) { t.Limits.Planes = 2 }, photo, bbgen.Config{}},
		{"Limits.Convert", func(t *target.Target) { t.Limits.Convert = 513 }, learner, trained},
		{"Limits.Near", func(t *target.Target) { t.Limits.Near = 1000 }, learner, trained},
		{"Limits.Inline", func(t *target.Target) { t.Limits.Inline = time.Nanosecond }, learner, split},
		{"Limits.Rolled", func(t *target.Target) { t.Limits.Rolled = 1000 }, tower(), bbgen.Config{}},
		{"Limits.Adjacent", func(t *target.Target) { t.Limits.Adjacent = 0 }, few, bbgen.Config{}},
		{"Limits.Slack", func(t *target.Target) { t.Limits.Slack = 1.2 }, layers, split},
		{"Peer.Rate", func(t *target.Target) { t.Peer.Rate = 1e15 }, layers, split},
		{"Peer.Memory", func(t *target.Target) { t.Peer.Memory = 1e7 }, layers, split},
		{"Peer.Bandwidth", func(t *target.Target) { t.Peer.Bandwidth = 1e15 }, layers, split},
		{"Peer.Latency", func(t *target.Target) { t.Peer.Latency = time.Hour }, layers, split},
		{"Peer.Fill", func(t *target.Target) { t.Peer.Fill = 1 << 20 }, layers, split},
		{"Peer.Envelope", func(t *target.Target) { t.Peer.Envelope = 1 << 20 }, layers, split},
		{"Free.Pixels", func(t *target.Target) { t.Free.Pixels = 1 }, free, bbgen.Config{}},
		{"Free.Size", func(t *target.Target) { t.Free.Size = 17 }, layers, split},
		{"Free.Elements", func(t *target.Target) { t.Free.Elements = 7 }, rows, bbgen.Config{}},
	} {
		to := *target.Default
		c.change(&to)
		if before, after := compiledFor(t, c.model, c.config, nil), compiledFor(t, c.model, c.config, &to); before == after {
			t.Errorf("%s decides nothing in\n%s", c.field, c.model)
		}
		decides[c.field] = true
	}
	for _, name := range numbers("", reflect.TypeFor[target.Target]()) {
		if !decides[name] {
			t.Errorf("nothing shows what %s of a target decides", name)
		}
	}
}

// tower returns a model of layers that are alike.
func tower() string {
	head, body, last := "%x: float32[1,8]", "", "x"
	for i := range 12 {
		head += fmt.Sprintf(", %%w%d: float32[8,8]", i)
		body += fmt.Sprintf("  %%a%d = MatMul(%%%s, %%w%d)\n  %%b%d = Softmax(%%a%d)\n", i, last, i, i, i)
		last = fmt.Sprint("b", i)
	}
	return head + ") -> (%" + last + ") {\n" + body + "}\n"
}

// split and trained are ways to compile a model.
var (
	split   = bbgen.Config{Cut: &bbgen.Cut{Unbound: true, Split: &partitioner.SplitOptions{Stages: 2}}}
	trained = bbgen.Config{Train: &train.Options{Loss: train.Loss{Name: "mse"}, Optimizer: train.Optimizer{Name: "sgd", Rate: 0.1}, Precision: tensor.BFloat16}}
)

// caches are two caches of so many bytes.
func caches(first, second int) []target.Cache {
	return []target.Cache{{Level: 1, Bytes: first}, {Level: 2, Bytes: second}}
}

// numbers returns the names of the fields of a struct, with those of its structs.
func numbers(prefix string, t reflect.Type) (names []string) {
	for f := range t.Fields() {
		if f.Type.Kind() == reflect.Struct {
			names = append(names, numbers(prefix+f.Name+".", f.Type)...)
			continue
		}
		names = append(names, prefix+f.Name)
	}
	return names
}

// compiledFor returns what is decided for a model on a target: the generated code, or the cut and its costs.
func compiledFor(t *testing.T, text string, c bbgen.Config, to *target.Target) string {
	t.Helper()
	m, err := ir.Parse("in.ir", "module \"m\"\nopset 20\n\nfunc @main("+text)
	if err != nil {
		t.Fatal(err)
	}
	var params []*ir.Value
	for _, v := range m.Main.Body.Params {
		if !strings.HasPrefix(v.Name, "w") {
			params = append(params, v)
			continue
		}
		var shape []int
		for _, d := range v.Type.Shape {
			n, _ := d.Const()
			shape = append(shape, n)
		}
		v.Const = tensor.New(tensor.Float32, shape...)
	}
	m.Main.Body.Params = params
	c.Target = to
	r, err := bbgen.Compile(m, c)
	if err != nil {
		t.Fatal(err)
	}
	if r.Program != nil {
		return fmt.Sprint(r.Stages, partitioner.Print(r.Program), partitioner.Estimate(r.Program, partitioner.CostOptions{}))
	}
	var b strings.Builder
	for _, f := range r.Files {
		fmt.Fprintf(&b, "%s\n%s\n", f.Path, f.Bytes())
	}
	return b.String()
}
