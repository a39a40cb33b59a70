package view_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/partitioner"
	"github.com/bbgen/bbgen/view"
)

// TestMake shows the data of a page for a model, or for a program.
func TestMake(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, a *golden.Archive) {
		got, err := json.MarshalIndent(subject(t, a.Get("in.ir")), "", " ")
		if err != nil {
			t.Fatal(err)
		}
		a.Check("out/subject", string(got))
	})
}

// subject returns the data of a page for a text.
func subject(t *testing.T, text string) *view.Subject {
	t.Helper()
	m, err := ir.Parse("in.ir", text)
	if err != nil {
		t.Fatal(err)
	}
	opt := view.Options{Title: "in.ir", Sizes: map[string]int{"batch": 10}}
	if strings.Contains(text, "@server") {
		opt.Config.Cut = &bbgen.Cut{Unbound: true}
		opt.Cost = func(p *partitioner.Program) *partitioner.Cost {
			return partitioner.Estimate(p, partitioner.CostOptions{Peers: map[string]int{"client": 8}})
		}
	}
	return view.Make(m, opt)
}

// layers returns the page of a small model with groups.
func layers(t *testing.T) *view.Page { return pageOf(t, "testdata/model_layers.txtar") }

// program returns the page of a small program.
func program(t *testing.T) *view.Page { return pageOf(t, "testdata/program_gather.txtar") }

func pageOf(t *testing.T, name string) *view.Page {
	t.Helper()
	a, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return &view.Page{Subjects: []*view.Subject{subject(t, string(a.Files[0].Data))}}
}

// large returns the page of a graph of n nodes: layers of sums, with some connections that skip a few layers.
func large(t *testing.T, n int) *view.Page {
	t.Helper()
	g := &view.Graph{Name: "model", Groups: []view.Group{}}
	g.Values = append(g.Values, &view.Value{Name: "x", Type: "float32[batch,64]"})
	s := &view.Stage{Name: "import", Inputs: []int{0}, Outputs: []int{n}}
	ops := []string{"MatMul", "Add", "Relu", "LayerNormalization", "Reshape", "Mul"}
	for i := range n {
		x := &view.Node{Op: ops[i%len(ops)], Name: fmt.Sprint("node_", i), Group: -1, In: []int{max(0, i-i%4)}, Out: []int{i + 1}}
		if i%7 == 0 {
			x.In = append(x.In, max(0, i-20))
		}
		g.Values = append(g.Values, &view.Value{Name: fmt.Sprint("y_", i), Type: "float32[batch,64]"})
		g.Nodes = append(g.Nodes, x)
		s.Nodes = append(s.Nodes, i)
	}
	g.Stages = []*view.Stage{s}
	return &view.Page{Subjects: []*view.Subject{{Title: "large.onnx", Graphs: []*view.Graph{g}}}}
}

// TestError tests that the page of a model that cannot be compiled shows the graph up to the error.
func TestError(t *testing.T) {
	s := subject(t, "module \"m\"\nopset 21\n\nfunc @main(%x: float32[2]) -> (%y) {\n  %y = Nonsense(%x)\n}\n")
	if len(s.Graphs) != 1 || len(s.Graphs[0].Stages) == 0 || !strings.Contains(s.Error, "Nonsense") {
		t.Errorf("got %d graphs and the error %q, want the graph of the file and an error that names Nonsense", len(s.Graphs), s.Error)
	}
}

// TestHTML tests that a page is small, and that no text of the model can break out of its element.
func TestHTML(t *testing.T) {
	p := layers(t)
	p.Subjects[0].Title = "</script><script>alert(1)</script>{{script}}"
	p.Subjects[0].Graphs[0].Nodes[0].Name = "</script><b>&"
	html, err := p.HTML()
	if err != nil {
		t.Fatal(err)
	}
	text := string(html)
	if n := strings.Count(text, "</script"); n != 2 {
		t.Errorf("%d scripts end in the page, want 2", n)
	}
	if strings.Contains(text, "<b>") {
		t.Error("a node's name has become an element")
	}
	size := 0
	for _, name := range []string{"page.html", "view.css", "view.js"} {
		b, err := os.ReadFile("assets/" + name)
		if err != nil {
			t.Fatal(err)
		}
		size += len(b)
	}
	if size > 400_000 {
		t.Errorf("the assets have %d bytes, want 400000 at most", size)
	}
}

// TestProfile reads the measurements of a generated program, and refuses other JSON.
func TestProfile(t *testing.T) {
	p, err := view.ParseProfile("p.json", []byte(`{"name":"m","total_us":3,"nodes":[{"node":"a","op":"Add","us":2,"share":0.5}]}`))
	if err != nil || len(p.Nodes) != 1 || p.Nodes[0].Time != 2 {
		t.Errorf("got %+v, %v", p, err)
	}
	for _, text := range []string{"", "{}", `{"nodes":1}`, `[1]`} {
		if _, err := view.ParseProfile("p.json", []byte(text)); err == nil || !strings.Contains(err.Error(), "bench -profile -json") {
			t.Errorf("%s: got %v, want an error that says what makes a profile", text, err)
		}
	}
}
