package bind_test

import (
	"testing"

	"github.com/bbgen/bbgen/artifact"
	"github.com/bbgen/bbgen/internal/bind"
	"github.com/bbgen/bbgen/ir"
)

// TestText: a Go type is listed with its methods, also those of its address, a model with its file, and what is wrong is
// said in place of that.
func TestText(t *testing.T) {
	const parts = "github.com/bbgen/bbgen/internal/bind/testdata/parts"
	m, err := ir.Parse("m.ir", "module \"m\"\nopset 21\n\nfunc @main(%x: float32[2]) -> (%y) {\n  %y = Neg(%x) : ?\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	artifact.Bind(m, "client", "sensor", artifact.Binding{Package: parts, Type: "Sensor"})
	artifact.Bind(m, "client", "net", artifact.Binding{Model: "net.onnx"})
	artifact.Bind(m, "client", "later", artifact.Binding{Role: "model"})
	artifact.Bind(m, "server", "typo", artifact.Binding{Package: parts, Type: "Sensro"})
	types, err := bind.Load(m, ".")
	if err != nil {
		t.Fatal(err)
	}
	m.Meta = append(m.Meta, ir.Metadata{Key: artifact.Key("server", "broken"), Value: "{"})
	const want = `slot client.sensor: ` + parts + `.Sensor
  Open(runtime.Env) error
  Read(ctx context.Context, round int64) (tensor.Dense[float32], error)
slot client.net: model "net.onnx"
slot client.later: nothing
slot server.typo: ` + parts + `.Sensro
  there is no type ` + parts + `.Sensro
slot server.broken: metadata "ai.bytesandbrains.binding.server.broken" is no binding: unexpected EOF
`
	if got := types.Text(m); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
