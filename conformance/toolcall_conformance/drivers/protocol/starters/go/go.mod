module toolcall-adapter

go 1.19
