package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/examples/bench-federated/program/server"
	"github.com/bbgen/bbgen/examples/internal/drawn"
)

// data returns a folder with fewer digits than the program uses.
func data(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := drawn.Write(dir, 2000, 500); err != nil {
		t.Fatal(err)
	}
	return dir
}

// one is the result of an experiment with one seed.
func one(t *testing.T, e experiment) *result {
	t.Helper()
	r, err := e.run(data(t), 1)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// FedAvg converges away from the optimum if clients differ, the farther the more they differ, and SCAFFOLD to
// it: Karimireddy 2020.
func TestQuadratics(t *testing.T) {
	before := 0.0
	for _, g := range []float64{1, 10, 100} {
		r := one(t, quadratics(g))
		if fedavg, scaffold := r.last("fedavg"), r.last("scaffold"); fedavg < 5*before || fedavg < 0.2*g || scaffold > 1e-4 {
			t.Errorf("G %v: FedAvg is %v off, SCAFFOLD %v, want the first in proportion to G, the second 0", g, fedavg, scaffold)
		}
		before = r.last("fedavg")
	}
}

// If nearly all clients lack the time for all steps, using their partial work is better than leaving them
// out, and better still with a proximal term: Li 2020.
func TestStragglers(t *testing.T) {
	r := one(t, stragglers(0.9))
	for _, name := range []string{"fedprox, μ = 0", "fednova"} {
		if !(r.last(name) < 0.9*r.last("fedavg")) {
			t.Errorf("the loss of %s is %v, that of FedAvg %v, want less", name, r.last(name), r.last("fedavg"))
		}
	}
	if with, without := r.last("fedprox, μ = 1"), r.last("fedprox, μ = 0"); !(with < without) {
		t.Errorf("the loss is %v with the proximal term and %v without it, want less", with, without)
	}
}

// If labels differ by client, momentum on the server, dynamic regularization and control variates lead to a
// smaller loss in the same number of rounds: Hsu 2019, Acar 2021, Karimireddy 2020.
func TestDigits(t *testing.T) {
	e := digits()
	e.accuracy = false
	e.rows = slices.DeleteFunc(e.rows, func(r row) bool {
		return !slices.Contains([]string{"fedavg", "fedavgm", "feddyn", "scaffold", "fednova"}, r.name)
	})
	r := one(t, e)
	for _, name := range []string{"fedavgm", "feddyn", "scaffold"} {
		if !(r.last(name) < r.last("fedavg")) {
			t.Errorf("the loss of %s is %v, that of FedAvg %v, want less", name, r.last(name), r.last("fedavg"))
		}
	}
	if a, b := r.last("fednova"), r.last("fedavg"); a/b > 1.001 || b/a > 1.001 {
		t.Errorf("where all take as many steps, the loss is %v of FedNova and %v of FedAvg, want the same", a, b)
	}
}

// Two clients of eleven that send opposite changes spoil the mean, but none of the robust rules.
func TestAttack(t *testing.T) {
	r := one(t, attacks("sign"))
	if mean, honest := r.last("mean"), r.last("honest"); mean > honest-0.2 {
		t.Errorf("the attacked mean reads %v right, the honest one %v, want much less", mean, honest)
	}
	for _, rule := range server.Rules[1:] {
		if x := r.last(rule); x < r.last("honest")-0.1 {
			t.Errorf("%s reads %v right, the honest mean %v, want nearly as many", rule, x, r.last("honest"))
		}
	}
}

// With more noise a model is less accurate, and reveals less about a client.
func TestPrivacy(t *testing.T) {
	e := privacy()
	e.rows = []row{e.rows[0], e.rows[1], e.rows[4]}
	r := one(t, e)
	none, little, much := r.last(e.rows[0].name), r.last(e.rows[1].name), r.last(e.rows[2].name)
	if !(none > 0.8 && little > none-0.1 && much < little-0.2) {
		t.Errorf("%v right without noise, %v with little, %v with much: want nearly all, nearly as many, and much less", none, little, much)
	}
}

// The last line is JSON, and the page contains a chart of each experiment.
func TestRun(t *testing.T) {
	var out bytes.Buffer
	page, figure := filepath.Join(t.TempDir(), "page.html"), filepath.Join(t.TempDir(), "figure.svg")
	if err := run(&out, "quadratics", page, figure, 1); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	var last map[string]map[string]float64
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil || last["quadratics-10"]["fedavg"] < 1 {
		t.Errorf("%v: %s", err, lines[len(lines)-1])
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, charts, _ := strings.Cut(string(text), "<h1>")
	d := xml.NewDecoder(strings.NewReader("<h1>" + strings.TrimSuffix(charts, "</html>\n")))
	curves := 0
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if s, ok := token.(xml.StartElement); ok && s.Name.Local == "title" {
			curves++
		}
	}
	if curves != 6 {
		t.Errorf("%d curves, want 6", curves)
	}
	image, err := os.ReadFile(figure)
	if err != nil {
		t.Fatal(err)
	}
	var svg struct {
		XMLName xml.Name `xml:"http://www.w3.org/2000/svg svg"`
		Paths   []string `xml:"path>title"`
	}
	if err := xml.Unmarshal(image, &svg); err != nil || len(svg.Paths) != 2 {
		t.Errorf("the image has %d curves, want 2: %v", len(svg.Paths), err)
	}
	if err := run(io.Discard, "nothing", "", "", 1); err == nil || !strings.Contains(err.Error(), `"nothing"`) {
		t.Errorf("%v", err)
	}
}
