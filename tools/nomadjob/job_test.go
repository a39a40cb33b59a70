package nomadjob

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/nomad/api"
	"github.com/zclconf/go-cty/cty"
	"golang.org/x/tools/txtar"
)

// file is what a job's file holds.
type file struct {
	Jobs []*api.Job `hcl:"job,block"`
}

// renamed are the labels that Nomad's parser takes though the type has no tag for them.
var renamed = map[reflect.Type]int{reflect.TypeFor[api.Job](): 1}

// check returns what is wrong with a job.
func check(name string, text []byte) []string {
	f, errs := hclparse.NewParser().ParseHCL(text, name)
	if errs.HasErrors() {
		return []string{errs.Error()}
	}
	var c checker
	c.body(f.Body.(*hclsyntax.Body), reflect.TypeFor[file]())
	return c.wrong
}

type checker struct{ wrong []string }

func (c *checker) errorf(at hcl.Range, format string, args ...any) {
	c.wrong = append(c.wrong, fmt.Sprintf("%v: ", at)+fmt.Sprintf(format, args...))
}

// fields are what a body may hold, by name, from the tags of a type.
type fields struct {
	attributes, blocks map[string]reflect.Type
	labels             int
}

func fieldsOf(t reflect.Type) fields {
	f := fields{map[string]reflect.Type{}, map[string]reflect.Type{}, renamed[t]}
	for i := range t.NumField() {
		name, kind, _ := strings.Cut(t.Field(i).Tag.Get("hcl"), ",")
		switch kind {
		case "label":
			f.labels++
		case "block":
			f.blocks[name] = element(t.Field(i).Type)
		case "optional", "":
			if name != "" {
				f.attributes[name] = t.Field(i).Type
			}
		}
	}
	return f
}

// element is what a pointer, a list or a table of blocks holds.
func element(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map && t.Elem().Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

func (c *checker) body(b *hclsyntax.Body, t reflect.Type) {
	if t.Kind() != reflect.Struct {
		return // free: the settings of a driver
	}
	f := fieldsOf(t)
	for name, a := range b.Attributes {
		want, ok := f.attributes[name]
		if !ok {
			c.errorf(a.NameRange, "%s has no attribute %q", t.Name(), name)
			continue
		}
		c.value(a, want)
	}
	for _, x := range b.Blocks {
		of, ok := f.blocks[x.Type]
		if !ok {
			c.errorf(x.TypeRange, "%s has no block %q", t.Name(), x.Type)
			continue
		}
		if of.Kind() == reflect.Struct && len(x.Labels) > fieldsOf(of).labels {
			c.errorf(x.TypeRange, "%d labels of %q", len(x.Labels), x.Type)
		}
		c.body(x.Body, of)
		if x.Type == "config" {
			c.driver(b, x.Body)
		}
	}
}

// docker are those settings of Nomad's Docker driver that need no other configuration of the client, from the driver's
// documentation (developer.hashicorp.com/nomad/docs/job-declare/task-driver/docker). Those of volumes, of devices and of
// privileges are refused by clients with the default configuration.
var docker = map[string]reflect.Type{
	"image": reflect.TypeFor[string](), "args": reflect.TypeFor[[]string](), "command": reflect.TypeFor[string](), "entrypoint": reflect.TypeFor[[]string](),
	"ports": reflect.TypeFor[[]string](), "cap_drop": reflect.TypeFor[[]string](), "security_opt": reflect.TypeFor[[]string](),
	"readonly_rootfs": reflect.TypeFor[bool](), "force_pull": reflect.TypeFor[bool](), "init": reflect.TypeFor[bool](), "work_dir": reflect.TypeFor[string](),
	"memory_hard_limit": reflect.TypeFor[int64](), "pids_limit": reflect.TypeFor[int64](), "image_pull_timeout": reflect.TypeFor[string](), "hostname": reflect.TypeFor[string](),
}

// driver checks the settings of a task's driver.
func (c *checker) driver(task, config *hclsyntax.Body) {
	if a := task.Attributes["driver"]; a != nil {
		if v, errs := a.Expr.Value(nil); errs.HasErrors() || v.Type() != cty.String || v.AsString() != "docker" {
			c.errorf(a.NameRange, "the driver is not docker, whose settings are known here")
		}
	}
	if config.Attributes["image"] == nil {
		c.errorf(config.SrcRange, "docker has no image")
	}
	for name, a := range config.Attributes {
		if want, ok := docker[name]; ok {
			c.value(a, want)
		} else {
			c.errorf(a.NameRange, "docker has no attribute %q", name)
		}
	}
	for _, x := range config.Blocks {
		c.errorf(x.TypeRange, "docker has no block %q", x.Type)
	}
}

// value checks the type of an attribute; durations are strings. Values with references are known only when the job runs.
func (c *checker) value(a *hclsyntax.Attribute, want reflect.Type) {
	v, errs := a.Expr.Value(nil)
	if errs.HasErrors() {
		if len(a.Expr.Variables()) == 0 {
			c.errorf(a.NameRange, "%s: %v", a.Name, errs)
		}
		return
	}
	for want.Kind() == reflect.Pointer {
		want = want.Elem()
	}
	got, ok := v.Type(), false
	switch {
	case want == reflect.TypeFor[time.Duration]():
		if ok = got == cty.String; ok {
			_, err := time.ParseDuration(v.AsString())
			ok = err == nil
		}
	case want.Kind() == reflect.String:
		ok = got == cty.String
	case want.Kind() == reflect.Bool:
		ok = got == cty.Bool
	case want.Kind() == reflect.Int, want.Kind() == reflect.Int64, want.Kind() == reflect.Float64:
		ok = got == cty.Number
	case want.Kind() == reflect.Slice:
		ok = got.IsTupleType() || got.IsListType()
	case want.Kind() == reflect.Map:
		ok = got.IsObjectType() || got.IsMapType()
	}
	if !ok {
		c.errorf(a.NameRange, "%s is %s, want %v", a.Name, got.FriendlyName(), want)
	}
}

// Every job of the golden files is one that Nomad knows.
func TestJobs(t *testing.T) {
	jobs := 0
	for _, name := range []string{"manifest_nomad", "manifest_model"} {
		data, err := os.ReadFile("../../internal/deploy/testdata/" + name + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range txtar.Parse(data).Files {
			if !strings.HasSuffix(f.Name, ".nomad.hcl") {
				continue
			}
			jobs++
			for _, wrong := range check(f.Name, f.Data) {
				t.Error(wrong)
			}
		}
	}
	if jobs < 2 {
		t.Errorf("%d jobs were found, want those of a program and of a model", jobs)
	}
}

// Jobs with mistakes are found.
func TestWrongJobs(t *testing.T) {
	for text, want := range map[string]string{
		"job \"x\" {\ntyp = \"service\"\n}":                                  `Job has no attribute "typ"`,
		"job \"x\" {\ngroups \"y\" {}\n}":                                    `Job has no block "groups"`,
		"job \"x\" \"y\" {}":                                                 `2 labels of "job"`,
		"job \"x\" {\ngroup \"y\" {\ncount = \"many\"\n}\n}":                 `count is string, want int`,
		"job \"x\" {\ngroup \"y\" {\nshutdown_delay = \"soon\"\n}\n}":        `shutdown_delay is string, want time.Duration`,
		"job \"x\" {\ngroup \"y\" {\nvolume \"s\" {\nread_only = 1\n}\n}\n}": `read_only is number, want bool`,
		task(`driver = "raw_exec"`, ``):                                      "the driver is not docker",
		task(`driver = "docker"`, `args = []`):                               "docker has no image",
		task(`driver = "docker"`, "image = \"i\"\nargs = \"x\""):             "args is string, want []string",
		task(`driver = "docker"`, "image = \"i\"\nread_only = true"):         `docker has no attribute "read_only"`,
		task(`driver = "docker"`, "image = \"i\"\nmount {}"):                 `docker has no block "mount"`,
		task(`driver = "docker"`, "image = \"i\"\nport = [\"http\"]"):        `docker has no attribute "port"`,
		"job \"x\" {": `Unclosed configuration block`,
	} {
		if got := strings.Join(check("job", []byte(text)), "\n"); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// task returns a job with a task.
func task(driver, config string) string {
	return "job \"x\" {\ngroup \"y\" {\ntask \"z\" {\n" + driver + "\nconfig {\n" + config + "\n}\n}\n}\n}"
}
