package bind_test

import (
	"testing"

	"github.com/bbgen/bbgen/internal/bind"
	"github.com/bbgen/bbgen/ir"
)

// TestPackageNames tests that packages are known by the names in their files.
func TestPackageNames(t *testing.T) {
	const pkg = "github.com/bbgen/bbgen/internal/bind/testdata/misnamed"
	m, err := ir.Parse("names.ir", `module "names"
opset 20
meta "ai.bytesandbrains.binding.a.sensor" = "{\"Package\":\"`+pkg+`\",\"Type\":\"Sensor\"}"

func @main(%x: float32[2]) -> (%y) {
  %y = Abs(%x) : ?
}
`)
	if err != nil {
		t.Fatal(err)
	}
	types, err := bind.Load(m, ".")
	if err != nil {
		t.Fatal(err)
	}
	if got := types.PackageNames()[pkg]; got != "renamed" {
		t.Errorf("the package %s is called %q, want renamed", pkg, got)
	}
	var none *bind.Types
	if got := none.PackageNames(); len(got) != 0 {
		t.Errorf("no types have the packages %v", got)
	}
}
