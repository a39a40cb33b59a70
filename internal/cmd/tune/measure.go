package tune

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/internal/project"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/ir/pass"
)

// way is one set of options for computing a model, and the minimum of its measured times.
type way struct {
	name    string // for messages
	options pass.Options
	bin     string

	level   string
	threads int
	nodes   map[string]float64 // microseconds of each node
}

// waysOf returns the alternatives for a model for which the cost model has made the given choices. If there
// is nothing to choose, all options are equivalent to the first.
func waysOf(usual *pass.Report) []way {
	ways := []way{{name: "convolutions directly", options: pass.Options{Conv: pass.Direct}}}
	if len(usual.Choices) > 0 {
		ways = append(ways,
			way{name: "convolutions by Winograd's transforms", options: pass.Options{Conv: pass.ByWinograd}},
			way{name: "convolutions by Winograd's transforms of 2×2 pixels", options: pass.Options{Conv: pass.BySmallWinograd}})
	}
	if usual.Convs > 0 {
		ways = append(ways, way{name: "channels first", options: pass.Options{Layout: pass.ChannelsFirst}})
	}
	return ways
}

// bench builds and runs programs of one model.
type bench struct {
	*flags
	model, name string
	tmp         string
	progress    *cli.Progress
}

// build builds the program of an alternative.
func (b *bench) build(w *way) error {
	b.progress.Stage("building: %s", w.name)
	dir := filepath.Join(b.tmp, strings.ReplaceAll(w.name, " ", "-"))
	home := project.Home{Dir: dir, Import: "bbgen.local/peer", Own: true}
	m, err := onnx.ReadFile(b.model)
	if err != nil {
		return err
	}
	r, err := bbgen.Compile(m, bbgen.Config{Source: filepath.Base(b.model), Import: home.Import, Bind: b.bind, Options: w.options})
	if err != nil {
		return err
	}
	if err := project.Write(home, r.Files); err != nil {
		return err
	}
	w.bin = filepath.Join(dir, "peer.bin")
	return project.GoBuild(dir, w.bin)
}

// measure profiles the program of an alternative once more.
func (b *bench) measure(w *way) error {
	out, err := exec.Command(w.bin, b.args()...).Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return fmt.Errorf("%s: the program failed: %s", b.model, strings.TrimSpace(string(failed.Stderr)))
	}
	if err != nil {
		return err
	}
	return w.note(out)
}

// note merges the output of "bench -profile -json", keeping the minimum of times.
func (w *way) note(out []byte) error {
	var p struct {
		Level   string `json:"level"`
		Threads int    `json:"threads"`
		Nodes   []struct {
			Node string  `json:"node"`
			Time float64 `json:"best_us"`
		} `json:"nodes"`
	}
	if err := json.Unmarshal(out, &p); err != nil {
		return err
	}
	if w.nodes == nil {
		w.nodes = map[string]float64{}
	}
	w.level, w.threads = p.Level, p.Threads
	for _, n := range p.Nodes {
		if old, ok := w.nodes[n.Node]; !ok || n.Time < old {
			w.nodes[n.Node] = n.Time
		}
	}
	return nil
}

// total returns the sum of the nodes' minimum times, which is more robust than the minimum time of a run:
// disturbances affect different nodes.
func (w *way) total() float64 {
	sum := 0.0
	for _, node := range slices.Sorted(maps.Keys(w.nodes)) {
		sum += w.nodes[node]
	}
	return sum
}
