module github.com/bbgen/bbgen/internal/simulate

go 1.26.0

require (
	github.com/bbgen/bbgen v0.0.0
	github.com/bbgen/bbgen/runtime/component/raft v0.0.0
)

require (
	github.com/dave/jennifer v1.7.1 // indirect
	go.etcd.io/raft/v3 v3.7.0 // indirect
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)

replace (
	github.com/bbgen/bbgen => ../..
	github.com/bbgen/bbgen/runtime/component/raft => ../../runtime/component/raft
)
