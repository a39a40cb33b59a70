module github.com/bbgen/bbgen/runtime/component/raft

go 1.26.0

require (
	github.com/bbgen/bbgen v0.0.0
	go.etcd.io/raft/v3 v3.7.0
	google.golang.org/protobuf v1.36.12
)

require golang.org/x/sys v0.49.0 // indirect

replace github.com/bbgen/bbgen => ../../..
