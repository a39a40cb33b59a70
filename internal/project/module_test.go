package project

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFind: a package goes into the module around it if that uses bbgen; otherwise it becomes a module of its own,
// which an earlier run may have written already.
func TestFind(t *testing.T) {
	const ours = "// " + header + "; DO NOT EDIT.\n\nmodule bbgen.local/net\n"
	for _, c := range []struct{ name, mod, sub, want string }{
		{"no module", "", "my net", "import bbgen.local/my_net, own true, around , networks []"},
		{"bbgen itself", "module " + Module + "\n", "a/b", "import " + Module + "/a/b, own false, around , networks []"},
		{"a user", "module example.com/app\n\nrequire (\n\t" + Module + " v0.1.0\n\t" + Module + "/runtime/host/nats v0.1.0\n)\n", "net", "import example.com/app/net, own false, around , networks [nats]"},
		{"a user's root", "module \"example.com/app\"\nrequire " + Module + " v0.1.0\n", ".", "import example.com/app, own false, around , networks []"},
		{"somebody else", "module example.com/other\n", "net", "import bbgen.local/net, own true, around example.com/other, networks []"},
		{"somebody else's root", "module example.com/other\n", ".", "is a module that does not require " + Module + ": run \"go get " + Module + "\" there, or choose another folder"},
		{"an earlier run", ours, ".", "own true, around , networks []"},
		{"an excluded version", "module example.com/app\n\nexclude (\n\t" + Module + " v0.1.0\n)\n", "net", "own true, around example.com/app"},
		{"a replacement", "module example.com/app\n\nreplace (\n\t" + Module + " v0.1.0 => ../bbgen\n)\n", "net", "own true, around example.com/app"},
		{"a requirement in odd form", "module example.com/app\n\nrequire(// these\n\t\"" + Module + "\" v0.1.0 // indirect\n)\n", "net", "import example.com/app/net, own false"},
		{"a folder with a space", "module example.com/app\nrequire " + Module + " v0.1.0\n", "my net/model", "model: Go imports no package from a folder called \"my net\": choose a name of ASCII letters, digits and the characters -_~.+"},
		{"a folder in another alphabet", "module example.com/app\nrequire " + Module + " v0.1.0\n", "größe", "Go imports no package from a folder called \"größe\""},
		{"a vendor folder", "module example.com/app\nrequire " + Module + " v0.1.0\n", "vendor/net", "Go imports no package from a folder called \"vendor\""},
		{"a similar name", "module example.com/app\n\nrequire " + Module + "extra v0.1.0\n", "net", "own true, around example.com/app"},
	} {
		dir := t.TempDir()
		if c.mod != "" {
			put(t, filepath.Join(dir, "go.mod"), c.mod)
		}
		h, err := Find(filepath.Join(dir, c.sub))
		got := fmt.Sprintf("import %s, own %v, around %s, networks %v", h.Import, h.Own, h.Around, h.Networks)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	put(t, file, "")
	if _, err := Find(filepath.Join(file, "a", "b")); err == nil || err.Error() != file+" is a file, want a folder" {
		t.Errorf("below a file: %v", err)
	}
	if _, err := Find(file); err == nil || !strings.HasSuffix(err.Error(), "is a file, want a folder") {
		t.Errorf("a file: %v", err)
	}
}

func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestNetwork: the networks of peers are those whose modules are required, and the message says how to get others.
func TestNetwork(t *testing.T) {
	for _, c := range []struct {
		home Home
		name string
		want string
	}{
		{Home{}, "tcp", "[tcp]"},
		{Home{}, "", "[tcp] peers talk over TLS, without a way through NATs: for libp2p run \"go get " + Module + "/runtime/host/libp2p\" and generate again; --host tcp says that TLS is meant"},
		{Home{Own: true}, "", "[tcp] peers talk over TLS, without a way through NATs: for libp2p generate into a module that requires bbgen, and run \"go get " + Module + "/runtime/host/libp2p\" in it; --host tcp says that TLS is meant"},
		{Home{Networks: []string{"libp2p"}}, "", "[libp2p tcp]"},
		{Home{Networks: []string{"libp2p", "nats"}}, "", "[libp2p nats tcp]"},
		{Home{Networks: []string{"nats"}}, "nats", "[nats tcp]"},
		{Home{Networks: []string{"nats"}}, "", "[tcp nats] peers talk over TLS"},
		{Home{Dir: "d"}, "nats", "peers in d cannot talk over nats, whose module is not required there: run \"go get -tool " + Module + "/runtime/host/nats/broker\" and generate again"},
		{Home{}, "udp", "there is no host \"udp\"; there are: libp2p, nats, tcp"},
	} {
		hosts, note, err := c.home.Network(c.name)
		got := strings.TrimSpace(fmt.Sprint(hosts, " ", note))
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, c.want) || note == "" && got != c.want {
			t.Errorf("%q in %+v:\n got %s\nwant %s", c.name, c.home, got, c.want)
		}
	}
}

// TestTestData: the data beside a model become those of its package, unless they are so large that they would swamp the
// repository.
func TestTestData(t *testing.T) {
	dir := t.TempDir()
	model := filepath.Join(dir, "model.onnx")
	if got := TestData(model); got != nil {
		t.Errorf("without data there are %d files", len(got))
	}
	put(t, filepath.Join(dir, "test_data_set_0", "input_0.pb"), "in")
	put(t, filepath.Join(dir, "test_data_set_0", "output_0.pb"), "out")
	put(t, filepath.Join(dir, "test_data_set_0", "notes.txt"), "no tensor")
	got := TestData(model)
	if len(got) != 2 || got[0].Path != "testdata/input_0.pb" || string(got[1].Bytes()) != "out" {
		t.Errorf("got %v", got)
	}
	put(t, filepath.Join(dir, "test_data_set_0", "input_1.pb"), strings.Repeat("x", maxTestData))
	if got := TestData(model); got != nil {
		t.Errorf("%d files of more than %d bytes", len(got), maxTestData)
	}
}

// TestWorkspace: a module of its own says which workspace it is not in.
func TestWorkspace(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "go.work")
	put(t, file, "go 1.26\n")
	put(t, filepath.Join(dir, "app", "go.mod"), "module example.com/app\n\nrequire "+Module+" v0.1.0\n")
	for _, c := range []struct{ env, sub, want string }{
		{"", "a/net", file},
		{"off", "a/net", ""},
		{"/other/go.work", "a/net", "/other/go.work"},
		{"", "app/net", ""}, // a package of the module around it
	} {
		t.Setenv("GOWORK", c.env)
		if h, err := Find(filepath.Join(dir, c.sub)); err != nil || h.Workspace != c.want {
			t.Errorf("GOWORK=%s, %s: got %q, %v, want %q", c.env, c.sub, h.Workspace, err, c.want)
		}
	}
}
