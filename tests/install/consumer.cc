// A program outside the tree: sees only what `make install` put down.

#include <ps/local_cluster.h>
#include <ps/ps.h>

#include <cstdio>

int main() {
  ps::LocalCluster cluster(1, 1);
  std::printf("consumer: linked and ran\n");
  return ps::Postoffice::Get() == nullptr ? 1 : 0;
}
