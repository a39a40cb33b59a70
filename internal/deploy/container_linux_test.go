package deploy

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/mutate"

	"github.com/bbgen/bbgen/internal/gobuild"
)

// contained is a program that tells what it sees in its container, and writes into its volume.
const contained = `package main

import (
	"fmt"
	"os"
)

func main() {
	err := os.Mkdir("` + imageState + `", 0o700)
	entries, _ := os.ReadDir("/")
	fmt.Println("started", os.Args, os.Getuid(), err, len(entries) > 0)
}
`

// TestContainer starts an image's container with runc, if there is one that may run: the entry point, its arguments, its user
// and its volume are those of the image.
func TestContainer(t *testing.T) {
	runc := containerRuntime(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(contained), 0o666); err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "peer")
	if err := (gobuild.Build{Packages: []string{filepath.Join(dir, "main.go")}, Out: bin}).Run(); err != nil {
		t.Fatal(err)
	}
	p := fleet()
	b := Binary{Class: &p.Classes[0], Platform: Platform{OS: "linux", Arch: runtime.GOARCH}, File: bin}
	img, err := p.image(&b, "v1.2.0")
	if err != nil {
		t.Fatal(err)
	}
	config, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	bundle := filepath.Join(dir, "bundle")
	files := mutate.Extract(img)
	defer files.Close()
	unpackAs(t, files, filepath.Join(bundle, "rootfs"))
	args := slices.Concat(config.Config.Entrypoint, config.Config.Cmd)
	writeBundle(t, runc, bundle, config.Config.User, args)
	out, err := exec.Command(runc, "--root", filepath.Join(dir, "runc"), "run", "--bundle", bundle, fmt.Sprintf("bbgen-test-%d", os.Getpid())).CombinedOutput()
	if want := fmt.Sprintf("started %v %d <nil> true\n", args, imageUser); err != nil || string(out) != want {
		t.Errorf("the container printed %q and ended with %v, want %q", out, err, want)
	}
}

// containerRuntime returns runc, or skips the test where it cannot start containers.
func containerRuntime(t *testing.T) string {
	t.Helper()
	runc, err := exec.LookPath("runc")
	if err != nil || os.Getuid() != 0 {
		t.Skip("skipped: containers are started by root, with runc (Debian: runc)")
	}
	isolated := exec.Command("true")
	isolated.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWUTS | syscall.CLONE_NEWIPC | syscall.CLONE_NEWNET}
	if err := isolated.Run(); err != nil {
		t.Skipf("skipped: this process may not start containers: %v", err)
	}
	if err := syscall.Access("/sys/fs/cgroup", 2 /* W_OK */); err != nil {
		t.Skipf("skipped: runc cannot make cgroups: %v", err)
	}
	return runc
}

// unpackAs unpacks the files of an image with their modes and owners.
func unpackAs(t *testing.T, files io.Reader, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(files); ; {
		h, err := r.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, h.Name)
		if h.FileInfo().IsDir() {
			err = os.MkdirAll(to, h.FileInfo().Mode())
		} else {
			var content []byte
			if content, err = io.ReadAll(r); err == nil {
				err = os.WriteFile(to, content, h.FileInfo().Mode())
			}
		}
		if err := errors.Join(err, os.Lchown(to, h.Uid, h.Gid)); err != nil {
			t.Fatal(err)
		}
	}
}

// writeBundle writes what runc reads beside the files of an image: its own configuration, with the user and the arguments.
func writeBundle(t *testing.T, runc, bundle, user string, args []string) {
	t.Helper()
	spec := exec.Command(runc, "spec")
	spec.Dir = bundle
	if out, err := spec.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	file := filepath.Join(bundle, "config.json")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var c map[string]any
	if err := json.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	id, _, _ := strings.Cut(user, ":")
	process := c["process"].(map[string]any)
	process["terminal"], process["args"] = false, args
	process["user"] = map[string]any{"uid": json.Number(id), "gid": json.Number(id)}
	c["root"] = map[string]any{"path": "rootfs", "readonly": false}
	if text, err = json.Marshal(c); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatal(err)
	}
}
