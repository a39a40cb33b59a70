package generated

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/bbgen/bbgen"
	stage0 "github.com/bbgen/bbgen/generated_test/pipeline/stage0/partition"
	stage1 "github.com/bbgen/bbgen/generated_test/pipeline/stage1/partition"
	stage2 "github.com/bbgen/bbgen/generated_test/pipeline/stage2/partition"
	"github.com/bbgen/bbgen/generated_test/transformer"
	"github.com/bbgen/bbgen/internal/project"
	"github.com/bbgen/bbgen/partitioner"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/mem"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
	"github.com/bbgen/bbgen/runtime/wire"
)

// TestPipelineCurrent is [TestCurrent] for the peers of the transformer cut into three, as by --split 3.
func TestPipelineCurrent(t *testing.T) {
	home := project.Home{Dir: "pipeline", Import: "github.com/bbgen/bbgen/generated_test/pipeline"}
	r, err := bbgen.Compile(graph(t, "transformer"), bbgen.Config{
		Source: "model.ir", Import: home.Import, Hosts: []string{"tcp"}, Cut: &bbgen.Cut{Split: &partitioner.SplitOptions{Stages: 3}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Files {
		name := filepath.Join(home.Dir, filepath.FromSlash(f.Path))
		if os.Getenv("BBGEN_UPDATE") == "1" {
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		checkFile(t, name, f.Bytes())
	}
}

// TestPipeline runs the three stages on a network that loses and reorders messages, with several runs at
// once. Each has the bits of the uncut transformer.
func TestPipeline(t *testing.T) {
	inputs := [][]tensor.Value{
		values(tensor.Of([]int64{0, 1, 2, 3, 4, 5}, 2, 3)),
		values(tensor.Of([]int64{5, 4, 3, 2, 1}, 1, 5)),
		values(tensor.Of([]int64{1}, 1, 1)),
		values(tensor.Of([]int64{2, 0, 2, 0}, 2, 2)),
	}
	net := mem.New(mem.Config{Seed: 1, Delay: 1e6, Jitter: 2e6, Loss: 0.1, Duplicate: 0.1, Command: 1e6})
	for i, make := range []func(runtime.Env) (*runtime.Partition, error){stage0.Default, stage1.Default, stage2.Default} {
		net.Add(runtime.Config{Seed: 1}, func() *runtime.Partition {
			p, err := make(runtime.Env{Context: context.Background()})
			if err != nil {
				t.Fatalf("stage %d: %v", i, err)
			}
			return p
		})
	}
	exec := map[wire.ExecID]int{} // of which inputs
	net.Started = func(i int, n *runtime.Node) {
		if i > 0 {
			return
		}
		for k, in := range inputs {
			x, err := n.Invoke(n.Now(), "stage0", in...)
			if err != nil {
				t.Fatal(err)
			}
			exec[x] = k
		}
	}
	got := map[int]tensor.Value{}
	net.Told = func(i int, e runtime.Event) {
		switch e.Kind {
		case runtime.Emitted:
			got[exec[e.Exec]] = e.Value.(*tensor.Tensor).Clone()
		case runtime.Failed:
			t.Errorf("stage %d: %v", i, e.Err)
		}
	}
	if _, err := net.Run(60e9, func() bool { return len(got) == len(inputs) }); err != nil {
		t.Fatal(err)
	}
	whole, err := transformer.Program().New()
	if err != nil {
		t.Fatal(err)
	}
	for k, in := range inputs {
		if err := whole.SetInput(0, in[0]); err != nil {
			t.Fatal(err)
		}
		if err := whole.Run(); err != nil {
			t.Fatal(err)
		}
		if got[k] == nil {
			t.Fatalf("inputs %d: no output", k)
		}
		if err := compare.Values(got[k], whole.Output(0), compare.Tolerance{}); err != nil {
			t.Errorf("inputs %d: %v", k, err)
		}
	}
}
