package test

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/codegen"
	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/internal/gobuild"
	"github.com/bbgen/bbgen/internal/project"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx"
)

// module is the import path of the harness.
const module = "bbgen.local/cases"

// timeout is the time limit for one data set.
const timeout = 5 * time.Minute

// program is one model of the harness.
type program struct {
	model   string
	files   []codegen.File
	outputs []ir.Type
	err     error
}

// execute generates the models of all jobs, builds them into one binary, and runs it. Errors of a job are
// stored in the job and in its output folder.
func execute(jobs []*job, keep string, p *cli.Progress) error {
	dir := keep
	if dir == "" {
		tmp, remove, err := project.TempDir("", "bbgen-test-*")
		if err != nil {
			return err
		}
		defer remove()
		dir = filepath.Join(tmp, "harness")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	programs := number(jobs)
	compile(programs, p)
	spill(programs, bbgen.MaxEmbedded, p)
	for _, j := range jobs {
		if err := j.clear(); err != nil {
			return err
		}
	}
	bin := filepath.Join(dir, "harness.bin")
	if err := build(dir, bin, programs, p); err != nil {
		return err
	}
	for _, j := range jobs {
		pr := programs[j.program]
		j.outputs = pr.outputs
		if pr.err != nil {
			if err := j.fail("UNSUPPORTED", pr.err); err != nil {
				return err
			}
		}
	}
	return runAll(bin, jobs, p)
}

// clear creates the job's output folder, and removes results of an earlier run.
func (j *job) clear() error {
	if err := os.MkdirAll(j.out, 0o777); err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(j.out, "output_*.pb"))
	if err != nil {
		return err
	}
	for _, name := range append(old, filepath.Join(j.out, "UNSUPPORTED"), filepath.Join(j.out, "ERROR")) {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// fail records the error of a job, also in its folder.
func (j *job) fail(file string, err error) error {
	j.err = err
	return os.WriteFile(filepath.Join(j.out, file), []byte(err.Error()+"\n"), 0o666)
}

// number assigns a program to each model of the jobs.
func number(jobs []*job) []*program {
	var out []*program
	index := map[string]int{}
	for _, j := range jobs {
		i, ok := index[j.model]
		if !ok {
			i = len(out)
			index[j.model] = i
			out = append(out, &program{model: j.model})
		}
		j.program = i
	}
	return out
}

// compile generates every program, in parallel.
func compile(programs []*program, p *cli.Progress) {
	var wg sync.WaitGroup
	var next atomic.Int64
	for range runtime.GOMAXPROCS(0) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := next.Add(1) - 1; int(i) < len(programs); i = next.Add(1) - 1 {
				programs[i].generate(int(i), false)
			}
		}()
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	for {
		select {
		case <-done:
			return
		case <-time.After(200 * time.Millisecond):
			p.Stage("generating %d of %d", min(int(next.Load()), len(programs)), len(programs))
		}
	}
}

func packageName(i int) string { return fmt.Sprintf("c%04d", i) }

// spill moves weights to files beside the harness from the program on at which the total exceeds limit bytes,
// which one binary cannot hold.
func spill(programs []*program, limit int, p *cli.Progress) {
	embedded, left := 0, 0
	for i, pr := range programs {
		n := pr.weights()
		if n > bbgen.MaxEmbedded {
			continue // they have a file anyway
		}
		if embedded += n; embedded > limit && n > 0 {
			embedded -= n
			left++
			pr.generate(i, true)
		}
	}
	if left > 0 {
		p.Note(fmt.Sprintf("the weights of %d of %d models stay in files: all are more than the %d MiB that one binary holds", left, len(programs), limit>>20))
	}
}

// weights returns the size of the program's weights in bytes.
func (pr *program) weights() int {
	for _, f := range pr.files {
		if path.Base(f.Path) == "weights.bin" {
			return f.Len()
		}
	}
	return 0
}

// generate makes the package of one program. A panic in bbgen fails the program, but not the run.
func (pr *program) generate(i int, sidecar bool) {
	pr.files, pr.outputs = nil, nil
	defer func() {
		if r := recover(); r != nil {
			pr.err = fmt.Errorf("%v", r)
		}
	}()
	m, err := onnx.ReadFile(pr.model)
	if err != nil {
		pr.err = err
		return
	}
	r, err := bbgen.Compile(m, bbgen.Config{Package: packageName(i), Source: filepath.Base(pr.model), Sidecar: sidecar})
	if err != nil {
		pr.err = err
		return
	}
	for _, v := range m.Main.Body.Results {
		pr.outputs = append(pr.outputs, v.Type)
	}
	for _, f := range r.Files {
		if !strings.HasSuffix(f.Path, "_test.go") {
			f.Path = packageName(i) + "/" + f.Path
			pr.files = append(pr.files, f)
		}
	}
}

// badPackage matches packages with compiler errors.
var badPackage = regexp.MustCompile(`(?m)^# ` + regexp.QuoteMeta(module) + `/c(\d+)`)

// build writes and builds the harness. If a program does not compile, it is left out, and the rest is built
// again.
func build(dir, bin string, programs []*program, p *cli.Progress) error {
	for {
		n, err := writeHarness(dir, programs)
		if err != nil {
			return err
		}
		p.Stage("go build of %d programs", n)
		err = project.GoBuild(dir, bin)
		var failed *gobuild.Error
		if !errors.As(err, &failed) {
			return err
		}
		bad := badPackage.FindAllStringSubmatch(failed.Output, -1)
		if len(bad) == 0 {
			return err
		}
		for _, m := range bad {
			i, _ := strconv.Atoi(m[1])
			programs[i].err = fmt.Errorf("BUG: generated code does not compile: %s", complaint(failed.Output, m[0]))
		}
	}
}

// complaint returns the first compiler error for a package.
func complaint(output, header string) string {
	_, rest, _ := strings.Cut(output, header+"\n")
	line, _, _ := strings.Cut(rest, "\n")
	return line
}

func writeHarness(dir string, programs []*program) (int, error) {
	var files []codegen.File
	var imports []string
	n := 0
	for i, pr := range programs {
		if pr.err != nil {
			imports = append(imports, "")
			continue
		}
		n++
		files = append(files, pr.files...)
		imports = append(imports, module+"/"+packageName(i))
	}
	main, err := codegen.Harness(imports)
	if err != nil {
		return n, err
	}
	files = append(files, codegen.NewFile("main.go", main))
	return n, project.Write(project.Home{Dir: dir, Import: module, Own: true}, files)
}

// runAll runs the jobs. If the harness dies during a job, the job has failed, and the harness continues with
// the next.
func runAll(bin string, jobs []*job, p *cli.Progress) error {
	var todo []*job
	for _, j := range jobs {
		if j.err == nil {
			todo = append(todo, j)
		}
	}
	for len(todo) > 0 {
		done, why, err := runSome(bin, todo, p)
		if err != nil {
			return err
		}
		if done < len(todo) {
			if err := todo[done].fail("ERROR", why); err != nil {
				return err
			}
			done++
		}
		todo = todo[done:]
	}
	for _, j := range jobs {
		if b, err := os.ReadFile(filepath.Join(j.out, "ERROR")); err == nil && j.err == nil {
			j.err = errors.New(strings.TrimSpace(string(b)))
		}
	}
	return nil
}

// runSome starts the harness on jobs. It returns the number of finished jobs and the error of the harness.
func runSome(bin string, jobs []*job, p *cli.Progress) (done int, why, err error) {
	var list strings.Builder
	for _, j := range jobs {
		in, err := filepath.Abs(j.in)
		if err != nil {
			return 0, nil, err
		}
		out, err := filepath.Abs(j.out)
		if err != nil {
			return 0, nil, err
		}
		fmt.Fprintf(&list, "%d\t%s\t%s\n", j.program, in, out)
	}
	cmd := exec.Command(bin)
	cmd.Dir = filepath.Dir(bin) // it must not use the weights.bin of another folder
	cmd.Stdin = strings.NewReader(list.String())
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return 0, nil, err
	}
	if err := cmd.Start(); err != nil {
		return 0, nil, err
	}
	watchdog := time.AfterFunc(timeout, func() { cmd.Process.Kill() })
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		watchdog.Reset(timeout)
		done++
		if done%50 == 0 {
			p.Stage("ran %d of %d", done, len(jobs))
		}
	}
	watchdog.Stop()
	why = cmd.Wait()
	if line, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n"); line != "" {
		why = errors.New(line)
	}
	if why == nil {
		why = errors.New("the harness ended early")
	}
	return done, why, nil
}
