package ir_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/bbgen/bbgen/ir"
)

// FuzzParse searches for inputs on which the parser, the verifier or the printer panics, and for modules that
// do not survive a round trip through text.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, s := range txtar.Parse(text).Files {
			if strings.HasSuffix(s.Name, ".ir") {
				f.Add(string(s.Data))
			}
		}
	}
	for _, types := range []string{
		"float32[2*n*m-3*k+1,floordiv(n-1,2),mod(n,3),max(n,m),min(n,4),bcast(a,b)]",
		`optional(seq(float16["past length + 1"]))`, "!ai.bytesandbrains.peers", "undefined[2]", "int4[?]",
	} {
		f.Add("module \"types\" func @main(%x: " + types + ") -> (%x) {}")
	}
	f.Add(`module "elided" func @main() -> (%c) { const %c: float32[9,9] = <sha256:0123456789ab 81 elements> }`)
	f.Add(`module "attrs" func @a:b() -> () attrs (x) defaults {y = 1} overload "o" opset 1, "a b" 2 { f() {a = $x, b = [1.5, NaN], c = floats [], d = tensors [int4[2] [-8, 7]], e = type seq(?)} v7 @c at "f:1" }`)
	f.Add(`module "unread" func @main() -> () { const %w: int2[] = 0 } training { algorithm func @step() -> () {} const %v: int2[] = 1 update %v = %w init func @start() -> () { const %z: int2[] = 1 } init %v = %z }`)
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ir.Parse("fuzz.ir", text)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("error of several lines: %v", err)
			}
			return
		}
		verr := ir.Verify(m)
		got := again(t, ir.Print(m))
		if (ir.Verify(got) == nil) != (verr == nil) {
			t.Errorf("verifies differently when printed: %v, before %v", ir.Verify(got), verr)
		}
		if verr == nil {
			_ = ir.VerifyShapes(m) // must not panic
		}
	})
}
