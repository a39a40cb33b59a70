package tune

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"runtime"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen/internal/bench/section"
	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/ir/target"
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/host/disk"
)

// runMachine measures this machine, writes its file and prints it.
func (f *flags) runMachine(cmd *cobra.Command) error {
	for _, name := range []string{"bind", "in", "threads"} {
		if cmd.Flags().Changed(name) {
			return cli.Usagef("--%s is for a model: --machine measures one thread of this machine", name)
		}
	}
	if !cmd.Flags().Changed("output") {
		f.out = "machine.json"
	}
	if err := cli.CheckOutput("-o", f.out); err != nil {
		return err
	}
	p := cli.NewProgress(cmd.ErrOrStderr(), f.quiet, f.verbose)
	defer p.Done()
	defer cpu.SetThreads(cpu.Threads())
	cpu.SetThreads(1)
	m := thisMachine()
	s := &speeds{rounds: f.rounds, time: f.time, caches: m.Caches, stage: p.Stage}
	t, from := s.measure()
	t.Level, m.Speeds = m.Level, target.SpeedsOf(t, from)
	b, err := m.Encode()
	if err != nil {
		return err
	}
	if err := disk.Replace(f.out, b, 0o666); err != nil {
		return err
	}
	p.Done()
	text, err := machineTable(m)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(cmd.OutOrStdout(), text)
	return err
}

// thisMachine describes this machine, without its speeds.
func thisMachine() *target.Machine {
	return &target.Machine{
		Processor: section.Processor(), System: runtime.GOOS + "/" + runtime.GOARCH, Processors: runtime.NumCPU(),
		Caches: caches(os.DirFS("/")), Level: cpu.CurrentLevel().String(),
	}
}

// caches returns the caches for data of the first processor, as Linux describes them; elsewhere there are none.
func caches(root fs.FS) (list []target.Cache) {
	const dir = "sys/devices/system/cpu/cpu0/cache"
	read := func(index int, name string) string {
		b, _ := fs.ReadFile(root, path.Join(dir, "index"+strconv.Itoa(index), name))
		return strings.TrimSpace(string(b))
	}
	for i := 0; read(i, "level") != ""; i++ {
		level, err := strconv.Atoi(read(i, "level"))
		kib, ok := strings.CutSuffix(read(i, "size"), "K")
		size, err2 := strconv.ParseInt(kib, 10, 32)
		if read(i, "type") == "Instruction" || err != nil || err2 != nil || !ok || size <= 0 {
			continue
		}
		list = append(list, target.Cache{Level: level, Bytes: int(size << 10)})
	}
	return list
}

// machineTable prints the numbers of a machine beside those that bbgen assumes for its level.
func machineTable(m *target.Machine) (string, error) {
	usual, err := target.Of(m.Level)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s, processors: %d, level %s\n", m.Processor, m.System, m.Processors, m.Level)
	for _, c := range m.Caches {
		fmt.Fprintf(&b, "cache L%d of %d KiB\n", c.Level, c.Bytes>>10)
	}
	b.WriteString("\n")
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "number\tassumed\tmeasured\tunit")
	for i, s := range target.SpeedsOf(usual, nil) {
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\n", s.Name, s.Value, m.Speeds[i].Value, s.Unit)
	}
	w.Flush()
	return b.String(), nil
}
