package tune

import (
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/bbgen/bbgen/internal/cmd/cmdtest"
	"github.com/bbgen/bbgen/ir/target"
)

// A machine whose kernels take just as long as the cost model computes from some numbers has these numbers.
func TestSpeedsAreThoseOfTheCostModel(t *testing.T) {
	for _, want := range []*target.Target{
		{Products: 57, Transforms: 16, Bytes: 24, Call: 10000},
		{Products: 1, Transforms: 1, Bytes: 8, Call: 0},
		{Products: 300, Transforms: 90, Bytes: 100, Call: 350},
	} {
		caches := []target.Cache{{Level: 1, Bytes: 32 << 10}, {Level: 2, Bytes: 1 << 20}, {Level: 3, Bytes: 32 << 20}}
		conv := func(pixels int) float64 {
			perTile := 36*16*16/float64(want.Products) + 36*(16+16)*4/float64(want.Transforms)
			return float64(tiles(pixels))*perTile + float64(want.Call)
		}
		s := &speeds{caches: caches, least: func(name string, run func()) float64 {
			run()
			return map[string]float64{
				"product": 192 * 192 * 192 / float64(want.Products), "read": (16 << 20) / float64(want.Bytes),
				"large": conv(56), "small": conv(28),
			}[name]
		}}
		got, from := s.measure()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
		for _, s := range target.SpeedsOf(got, from) {
			if s.From == "" {
				t.Errorf("%s: it is not said from what it is", s.Name)
			}
		}
	}
}

// Times that cannot be, as on a busy machine, give numbers that the cost model can compute with.
func TestSpeedsOfABusyMachine(t *testing.T) {
	for _, times := range []map[string]float64{
		{"product": 1e12, "read": 1e15, "large": 10, "small": 1e9},
		{"product": 1, "read": 1, "large": 1, "small": 1},
	} {
		s := &speeds{least: func(name string, _ func()) float64 { return times[name] }}
		got, from := s.measure()
		m := target.Machine{Level: "avx2", Speeds: target.SpeedsOf(got, from)}
		b, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := target.ParseMachine(b); err != nil {
			t.Errorf("%v: %v", times, err)
		}
	}
}

// The matrix that is read is in the last cache and in no other.
func TestReadColumns(t *testing.T) {
	for _, c := range []struct {
		caches []int
		want   int // KiB
	}{
		{nil, 8 << 10},
		{[]int{32, 1024, 32 << 10}, 16 << 10},
		{[]int{64, 1024}, 512},
		{[]int{48, 2048, 4096}, 8 << 10},
		{[]int{32, 1024, 512 << 10}, 64 << 10},
		{[]int{1}, 256},
	} {
		var list []target.Cache
		for _, kib := range c.caches {
			list = append(list, target.Cache{Bytes: kib << 10})
		}
		if got := readColumns(list) * depth * 4 >> 10; got != c.want {
			t.Errorf("%v KiB: got a matrix of %d KiB, want %d", c.caches, got, c.want)
		}
	}
}

// Caches are those for data, as Linux describes them.
func TestCaches(t *testing.T) {
	root := fstest.MapFS{}
	for i, text := range []string{"1 Data 48K", "1 Instruction 32K", "2 Unified 2048K", "3 Unified many", "4 Unified 16M", "3 Unified 107520K"} {
		f := strings.Fields(text)
		for k, name := range []string{"level", "type", "size"} {
			root["sys/devices/system/cpu/cpu0/cache/index"+string(rune('0'+i))+"/"+name] = &fstest.MapFile{Data: []byte(f[k] + "\n")}
		}
	}
	got := caches(root)
	want := []target.Cache{{Level: 1, Bytes: 48 << 10}, {Level: 2, Bytes: 2 << 20}, {Level: 3, Bytes: 105 << 20}}
	if len(got) != len(want) || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := caches(fstest.MapFS{}); got != nil {
		t.Errorf("another system: got %v, want none", got)
	}
}

// TestMachineCommand measures this machine, shortly, and writes what --cpu reads.
func TestMachineCommand(t *testing.T) {
	t.Chdir(t.TempDir())
	out, _, err := cmdtest.Run(t, Command(), "--machine", "--time", "1ms", "--rounds", "1")
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile("machine.json")
	if err != nil {
		t.Fatal(err)
	}
	m, to, err := target.ParseMachine(b)
	if err != nil || m.Processors < 1 || to.Level != thisMachine().Level {
		t.Errorf("got %+v, %+v, %v", m, to, err)
	}
	for _, want := range []string{"level " + to.Level, "\nnumber      assumed  measured  unit\n", "\nproducts ", "\ncall "} {
		if !strings.Contains(out, want) {
			t.Errorf("there is no %q in\n%s", want, out)
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--machine", "model.onnx"}, `unexpected argument "model.onnx"`},
		{[]string{"--machine", "--threads", "2"}, "--threads is for a model"},
		{[]string{"--machine", "--bind", "n=1"}, "--bind is for a model"},
		{[]string{"--machine", "--rounds", "0"}, "--rounds is 0"},
		{[]string{"--machine", "-o", "."}, "is a folder"},
	} {
		if _, _, err := cmdtest.Run(t, Command(), c.args...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: got %v, want %s", c.args, err, c.want)
		}
	}
}

// The least time counts, of all rounds.
func TestLeastTimeCounts(t *testing.T) {
	calls := 0
	s := &speeds{rounds: 2, time: time.Nanosecond, stage: func(string, ...any) {}}
	if got := s.nanoseconds("nothing", func() { calls++ }); got < 1 || calls < fewCalls {
		t.Errorf("got %v ns in %d calls", got, calls)
	}
}
